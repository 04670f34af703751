// Proves that the public header compiles alone as C; a target needs one source file.
#include "mediakit_plugin.h"
