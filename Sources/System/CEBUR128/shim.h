// libebur128, the loudness meter of EBU R 128, as Swift sees it.
#include <ebur128.h>
