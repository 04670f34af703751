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

/// The sum of squares.
double mk_pcm_energy(const float *in, int n);
/// The sum of squares of the middle of a pair.
double mk_pcm_middle_energy(const float *left, const float *right, int n);

/// Mixes a pair in place: the four gains (left to left, right to left, left to right, right to
/// right) go in straight lines, as in `mk_pcm_ramp`.
void mk_pcm_matrix(
    float *left, float *right, int n, int offset, const float first[4], const float step[4]);

/// Swaps `n` samples of two arrays.
void mk_pcm_exchange(float *a, float *b, int n);

/// The K-weighting of ITU-R BS.1770 on planes.
typedef struct mk_kweight mk_kweight;

/// Makes one; `weights` says how much each channel counts. NULL when memory is short.
mk_kweight *mk_kweight_new(int channels, double rate, const double *weights);
void mk_kweight_free(mk_kweight *);
void mk_kweight_reset(mk_kweight *);
/// Takes `n` frames and adds the weighted sum of squares behind the filter to `energy`. Returns
/// how many samples were broken.
int64_t mk_kweight_add(mk_kweight *, const float *const *in, int n, double *energy);

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

/// Keeps an effect from adding peaks above a ceiling; dry sound above it stays as it is.
typedef struct mk_guard mk_guard;

/// Makes a guard that looks `window - 1` frames ahead (window at least 2); `release` as for the
/// limiter.
mk_guard *mk_guard_new(int channels, int window, double release, float ceiling);
void mk_guard_free(mk_guard *);
int mk_guard_latency(const mk_guard *);
void mk_guard_reset(mk_guard *);
/// Takes `n` frames without and with the effect, aligned; leaves as many that are `latency` older
/// in `wet`, with as much of the effect as the ceiling allows.
void mk_guard_process(mk_guard *, const float *const *dry, float *const *wet, int n);

/// Lifts voice over its background in one channel or a pair.
typedef struct mk_dialogue mk_dialogue;

/// Makes one for 1 or 2 channels; `size` is a power of two, about 45 ms.
mk_dialogue *mk_dialogue_new(int channels, int size, double rate);
void mk_dialogue_free(mk_dialogue *);
/// Frames by which the output lags behind the input: `size`.
int mk_dialogue_latency(const mk_dialogue *);
void mk_dialogue_reset(mk_dialogue *);
/// Takes `n` frames in `planes` and leaves as many that are `latency` older there, changed, and in
/// `dry` unchanged. `boost` and `floor` are the gains of voice and background (where the boost
/// finds no room under full scale, the floor is lowered instead); both 1 changes nothing, bit for
/// bit. New gains fade in over a block.
void mk_dialogue_process(
    mk_dialogue *, float *const *planes, float *const *dry, int n, float boost, float floor);

/// Widens a pair of channels in place, without delay.
typedef struct mk_widener mk_widener;

/// What a widener adds to the side.
typedef enum {
    MK_WIDEN_PLAIN,    ///< nothing
    MK_WIDEN_SURROUND, ///< early reflections of the side, and a little of the middle
} mk_widener_kind;

/// Values at the first frame of a piece, and by how much they grow a frame.
typedef struct {
    float wet, wet_step;       ///< 0 leaves the sound as it is, bit for bit; 1 is the full effect
    float middle, middle_step; ///< gain of the middle
    float side, side_step;     ///< gain of the side
} mk_widener_ramp;

mk_widener *mk_widener_new(double rate);
void mk_widener_free(mk_widener *);
void mk_widener_reset(mk_widener *);
/// Processes frames `offset` … of a piece; adds the energies above 100 Hz of middle, side, and side
/// with all that was added, before their gains, to `energy`.
void mk_widener_process(
    mk_widener *, mk_widener_kind, float *left, float *right, int n, int offset, mk_widener_ramp,
    double energy[3]);
/// Gives each ear the bass of the other side, as loudspeakers do; uses `wet` of the ramp.
void mk_crossfeed_process(
    mk_widener *, float *left, float *right, int n, int offset, mk_widener_ramp);

#endif
