// libFuzzer as a library: Swift's own main stays, and hands over to it.
#ifndef MK_FUZZ_DRIVER_H
#define MK_FUZZ_DRIVER_H

#include <stddef.h>
#include <stdint.h>

/// Runs the fuzzer with its command line; calls `one` for each input; returns its exit status.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one)(const uint8_t *data, size_t size));

#endif
