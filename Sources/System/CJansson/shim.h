// jansson, the JSON reader and writer, as Swift sees it.
#ifndef MEDIAKIT_CJANSSON_SHIM_H
#define MEDIAKIT_CJANSSON_SHIM_H

#include <jansson.h>

static inline void mk_json_decref(json_t *value) { json_decref(value); }

#endif
