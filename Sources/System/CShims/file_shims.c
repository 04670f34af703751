#define _GNU_SOURCE
#include "file_shims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/xattr.h>

void mk_file_begin_writeback(int descriptor) {
    int kept = errno;
    (void)sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
    errno = kept;
}

static bool is_refusal(int number) {
    return number == ENOTSUP || number == EPERM || number == EACCES || number == ENODATA;
}

static int copy_attribute(const char *from, const char *to, const char *name) {
    ssize_t size = getxattr(from, name, NULL, 0);
    if (size < 0) return is_refusal(errno) ? 0 : -1;
    void *value = malloc(size > 0 ? (size_t)size : 1);
    if (!value) return -1;
    size = getxattr(from, name, value, (size_t)size);
    int result = size < 0 ? -1 : setxattr(to, name, value, (size_t)size, 0);
    int number = errno;
    free(value);
    errno = number;
    return result == 0 || is_refusal(number) ? 0 : -1;
}

int mk_file_copy_user_attributes(const char *from, const char *to) {
    ssize_t size = listxattr(from, NULL, 0);
    if (size <= 0) return size == 0 || is_refusal(errno) ? 0 : -1;
    char *names = malloc((size_t)size);
    if (!names) return -1;
    size = listxattr(from, names, (size_t)size);
    int result = size < 0 ? -1 : 0;
    for (ssize_t at = 0; result == 0 && at < size; at += (ssize_t)strlen(names + at) + 1) {
        if (strncmp(names + at, "user.", 5) == 0) result = copy_attribute(from, to, names + at);
    }
    int number = errno;
    free(names);
    errno = number;
    return result;
}
