// What the border to loaded plugins needs and Swift has no words for: a thread's own memory.
#ifndef MEDIAKIT_PLUGIN_SHIMS_H
#define MEDIAKIT_PLUGIN_SHIMS_H

/// Keeps a sentence for the calling thread, cut behind 500 bytes; NULL forgets it.
void mk_plugin_error_set(const char *message);

/// The sentence that the calling thread kept, empty where there is none; valid until it keeps
/// another.
const char *mk_plugin_error_get(void);

#endif
