// What the border to loaded plugins needs and Swift has no words for: a thread's own memory.
#ifndef MEDIAKIT_PLUGIN_SHIMS_H
#define MEDIAKIT_PLUGIN_SHIMS_H

/// Keeps a sentence for the calling thread, cut behind 500 bytes; NULL forgets it.
void mk_plugin_error_set(const char *message);

/// The sentence that the calling thread kept, empty where there is none; valid until it keeps
/// another.
const char *mk_plugin_error_get(void);

/// Has the system end this process by a signal when the thread that started it is gone, and by
/// SIGALRM after so many seconds.
void mk_end_with_parent(int signal, unsigned seconds);

#endif
