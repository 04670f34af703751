// What the meter and the limiter share: peaks in the gaps between samples.
#ifndef MEDIAKIT_DSP_INTERPOLATE_H
#define MEDIAKIT_DSP_INTERPOLATE_H

#include "dsp.h"

enum {
    MK_TAPS = 32,
    MK_BEFORE = 15, // samples needed before the left end of a gap
    MK_AFTER = 16,  // and after it
    MK_BLOCK = 32,  // gaps looked at together
};

/// `gaps[i]` = the largest magnitude on [x[i], x[i + 1]) for `n` gaps;
/// x[-MK_BEFORE] … x[n - 1 + MK_AFTER] are read.
void mk_gap_peaks(const mk_interpolator *, const float *x, int n, float *gaps);

/// The same for gap `gap` (under MK_BEFORE) of a stream that starts with `first` and is mirrored
/// about its first sample, as libswresample does; first[gap + MK_AFTER] and before are read.
float mk_mirrored_gap_peak(const mk_interpolator *, const float *first, int gap);

#endif
