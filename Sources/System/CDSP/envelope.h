// A smooth gain that is small enough in time.
#ifndef MEDIAKIT_DSP_ENVELOPE_H
#define MEDIAKIT_DSP_ENVELOPE_H

#include <stdint.h>

/// Turns the gain that each frame needs into a smooth one that never exceeds it.
///
/// A running minimum over the window makes every gain in reach of a need small enough, the release
/// lets it come back exponentially, and two running means of half the window each round the
/// corners: a mean of values that are all small enough is small enough itself. The means run on
/// integers, so that they return to exactly 1.
typedef struct {
    int window;
    double release;  // part of the remaining reduction given back each frame
    int64_t frame;
    int64_t quiet;   // frames in a row that needed nothing
    double envelope;
    // running minimum: frames and values, rising, in a ring of `window`
    int64_t *at;
    double *need;
    int head, held;
    // the two running means
    int64_t *first, *second, first_sum, second_sum;
    int first_length, second_length, first_next, second_next;
} mk_envelope;

/// Prepares for a window of at least 2 frames; 0 when memory is short.
int mk_envelope_init(mk_envelope *, int window, double release);
void mk_envelope_destroy(mk_envelope *);
void mk_envelope_reset(mk_envelope *);
/// Takes the gain that the newest frame needs (0 … 1); gives the one for the frame `window - 1`
/// older.
float mk_envelope_next(mk_envelope *, double need);

/// Whether it gives 1 until a frame needs less; frames may be skipped then.
static inline int mk_envelope_is_idle(const mk_envelope *self) {
    return self->quiet > 2 * self->window;
}

#endif
