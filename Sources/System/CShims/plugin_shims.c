#include "plugin_shims.h"

#include <string.h>

static _Thread_local char kept[501];

void mk_plugin_error_set(const char *message) {
    kept[0] = '\0';
    if (message) strncat(kept, message, sizeof kept - 1);
}

const char *mk_plugin_error_get(void) { return kept; }
