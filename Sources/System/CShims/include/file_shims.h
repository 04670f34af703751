// File calls of Linux that Swift's Glibc module does not import.
#ifndef MEDIAKIT_FILE_SHIMS_H
#define MEDIAKIT_FILE_SHIMS_H

/// Begins to bring a file's written pages to the disk and returns, so that a later fsync waits for
/// few of them. Only a hint: what fails here is told by that fsync.
void mk_file_begin_writeback(int descriptor);

#endif
