// Inner loops on samples that must be fast in debug builds too: plain C, no allocation per call.
#ifndef MEDIAKIT_DSP_H
#define MEDIAKIT_DSP_H

#include <stdint.h>

// A sample is broken when it is not a number, infinite or above 2^40; it counts as 0.

/// Copies `n` samples; broken ones become 0. Returns how many did.
int64_t mk_pcm_copy(float *out, const float *in, int n);

/// Copies `n` frames from planes into one interleaved buffer; broken samples become 0.
/// Returns how many did.
int64_t mk_pcm_interleave(float *out, const float *const *in, int channels, int n);

/// The largest magnitude of `n` finite samples.
float mk_pcm_peak(const float *in, int n);

/// Multiplies with a gain that goes in a straight line: frame `i` gets
/// `first + step * (offset + i)`. A gain of 1 without step is a copy.
void mk_pcm_ramp(float *out, const float *in, int n, float first, float step, int offset);

/// An interpolator that looks at a signal between its samples: windowed sinc, 32 taps a phase.
typedef struct mk_interpolator mk_interpolator;

/// Makes one that sees `phases` points a sample (1 … 64); NULL when memory is short.
mk_interpolator *mk_interpolator_new(int phases);
void mk_interpolator_free(mk_interpolator *);

/// What an interpolated value can exceed the largest sample by, as a factor.
float mk_interpolator_bound(const mk_interpolator *);

/// The peak between samples of one channel, exact and in bounded memory.
typedef struct mk_true_peak mk_true_peak;

/// Makes a meter; it borrows the interpolator.
mk_true_peak *mk_true_peak_new(const mk_interpolator *);
void mk_true_peak_free(mk_true_peak *);
/// Takes `n` samples; returns how many of them were broken.
int64_t mk_true_peak_add(mk_true_peak *, const float *in, int n);
/// The largest magnitude so far, between samples too; silence is taken to follow.
float mk_true_peak_value(const mk_true_peak *);
/// The largest sample so far.
float mk_true_peak_sample(const mk_true_peak *);

/// A look-ahead limiter on the peak between samples, one gain for all channels.
typedef struct mk_limiter mk_limiter;

/// Makes a limiter; it borrows the interpolator. `window` frames of look-ahead (at least 4);
/// `release` is the part of the remaining reduction given back each frame.
mk_limiter *mk_limiter_new(
    const mk_interpolator *, int channels, int window, float ceiling, double release);
void mk_limiter_free(mk_limiter *);
/// Frames by which the output lags behind the input.
int mk_limiter_latency(const mk_limiter *);
void mk_limiter_set_ceiling(mk_limiter *, float ceiling);
/// Takes `n` frames times `gain` and gives as many that are `latency` older; in place is allowed.
/// Returns how many samples were broken.
int64_t mk_limiter_process(
    mk_limiter *, const float *const *in, float *const *out, int n, float gain);
/// The smallest gain applied so far, 1 when nothing was limited.
float mk_limiter_least_gain(const mk_limiter *);
/// Back to the state of a new limiter.
void mk_limiter_reset(mk_limiter *);

#endif
