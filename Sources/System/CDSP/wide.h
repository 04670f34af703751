// Loops that are compiled a second time for processors with wider vectors.
#ifndef MEDIAKIT_DSP_WIDE_H
#define MEDIAKIT_DSP_WIDE_H

// Both versions give the same bits: nothing is contracted or reordered in either.
#if defined(__x86_64__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#define MK_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define MK_WIDE
#endif

#endif
