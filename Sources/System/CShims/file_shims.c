#define _GNU_SOURCE
#include "file_shims.h"

#include <errno.h>
#include <fcntl.h>

void mk_file_begin_writeback(int descriptor) {
    int kept = errno;
    (void)sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
    errno = kept;
}
