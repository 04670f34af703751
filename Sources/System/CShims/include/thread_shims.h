// GNU-only thread calls that Swift's Glibc module does not import.
#ifndef MEDIAKIT_THREAD_SHIMS_H
#define MEDIAKIT_THREAD_SHIMS_H

/// Names the calling thread; longer names are cut to 15 bytes.
void mk_thread_set_name(const char *name);

#endif
