// jansson, the JSON reader and writer, as Swift sees it.
#include <jansson.h>
