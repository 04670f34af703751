// File calls of Linux that Swift's Glibc module does not import.
#ifndef MEDIAKIT_FILE_SHIMS_H
#define MEDIAKIT_FILE_SHIMS_H

/// Begins to bring a file's written pages to the disk and returns, so that a later fsync waits for
/// few of them. Only a hint: what fails here is told by that fsync.
void mk_file_begin_writeback(int descriptor);

/// Copies the `user.*` attributes of one file to another; 0, or -1 with errno. A file system without
/// them, and attributes that may not be read or written, are no failure.
int mk_file_copy_user_attributes(const char *from, const char *to);

#endif
