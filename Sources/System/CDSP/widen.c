// Widens a pair of channels, or brings it nearer for headphones.
#include "dsp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_TAPS = 3, MIDDLE_TAPS = 3, RING = 8192 };

// Early reflections of the side, and the middle's share in it: milliseconds and gains. Sparse and
// uneven, so that no pitch is heard; only the side gets them, so a mono sum does not.
static const double side_delay[SIDE_TAPS] = {7.1, 12.3, 19.7};
static const float side_gain[SIDE_TAPS] = {0.30f, -0.24f, 0.18f};
static const double middle_delay[MIDDLE_TAPS] = {3.1, 9.7, 15.9};
static const float middle_gain[MIDDLE_TAPS] = {0.12f, -0.10f, 0.08f};

struct mk_widener {
    int side_at[SIDE_TAPS], middle_at[MIDDLE_TAPS], cross_at;
    float low_weight, low_echo, low_cross; // one-pole coefficients
    float weight[3], echo[2], cross[2];    // their states
    int at;
    float ring[2][RING]; // what the taps look back on: middle and side, or left and right
};

static float one_pole(double hertz, double rate) {
    return (float)(1 - exp(-2 * M_PI * hertz / rate));
}

static int frames(double milliseconds, double rate) {
    int count = (int)(milliseconds * rate / 1000 + 0.5);
    return count < 1 ? 1 : count > RING - 1 ? RING - 1 : count;
}

mk_widener *mk_widener_new(double rate) {
    mk_widener *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    for (int t = 0; t < SIDE_TAPS; t++) self->side_at[t] = frames(side_delay[t], rate);
    for (int t = 0; t < MIDDLE_TAPS; t++) self->middle_at[t] = frames(middle_delay[t], rate);
    self->cross_at = frames(0.27, rate);
    self->low_weight = one_pole(100, rate);
    self->low_echo = one_pole(250, rate);
    self->low_cross = one_pole(700, rate);
    return self;
}

void mk_widener_free(mk_widener *self) { free(self); }

void mk_widener_reset(mk_widener *self) {
    memset(self->weight, 0, sizeof self->weight);
    memset(self->echo, 0, sizeof self->echo);
    memset(self->cross, 0, sizeof self->cross);
    memset(self->ring, 0, sizeof self->ring);
}

// The signal without its bass, for energies that count about as much as they are heard.
static inline float without_low(float *state, float coefficient, float x) {
    *state += coefficient * (x - *state);
    return x - *state;
}

static inline float past(const float *ring, int at, int delay) {
    return ring[(at - delay) & (RING - 1)];
}

static float echoes(mk_widener *self, float middle, float side) {
    float *middles = self->ring[0], *sides = self->ring[1], sum = 0;
    middles[self->at] = without_low(&self->echo[0], self->low_echo, middle);
    sides[self->at] = without_low(&self->echo[1], self->low_echo, side);
    for (int t = 0; t < SIDE_TAPS; t++) {
        sum += side_gain[t] * past(sides, self->at, self->side_at[t]);
    }
    for (int t = 0; t < MIDDLE_TAPS; t++) {
        sum += middle_gain[t] * past(middles, self->at, self->middle_at[t]);
    }
    return sum;
}

void mk_widener_process(
    mk_widener *self, mk_widener_kind kind, float *left, float *right, int n, int offset,
    mk_widener_ramp ramp, double energy[3]) {
    for (int i = 0; i < n; i++) {
        float place = (float)(offset + i);
        float wet = ramp.wet + ramp.wet_step * place;
        float l = left[i], r = right[i];
        float middle = 0.5f * (l + r), side = 0.5f * (l - r);
        float wide = side;
        if (kind == MK_WIDEN_SURROUND) wide += echoes(self, middle, side);
        float m = without_low(&self->weight[0], self->low_weight, middle);
        float s = without_low(&self->weight[1], self->low_weight, side);
        float w = without_low(&self->weight[2], self->low_weight, wide);
        energy[0] += (double)m * m;
        energy[1] += (double)s * s;
        energy[2] += (double)w * w;
        float new_middle = (ramp.middle + ramp.middle_step * place) * middle;
        float new_side = (ramp.side + ramp.side_step * place) * wide;
        left[i] = l + wet * (new_middle + new_side - l);
        right[i] = r + wet * (new_middle - new_side - r);
        self->at = (self->at + 1) & (RING - 1);
    }
}

void mk_crossfeed_process(
    mk_widener *self, float *left, float *right, int n, int offset, mk_widener_ramp ramp) {
    // Bass of the other side at -4.5 dB, as late as at the far ear; together with what is taken
    // from the near one, the middle keeps its level at every pitch.
    const float share = 0.373f;
    for (int i = 0; i < n; i++) {
        float wet = ramp.wet + ramp.wet_step * (float)(offset + i);
        float l = left[i], r = right[i];
        self->cross[0] += self->low_cross * (l - self->cross[0]);
        self->cross[1] += self->low_cross * (r - self->cross[1]);
        self->ring[0][self->at] = self->cross[0];
        self->ring[1][self->at] = self->cross[1];
        float late_left = past(self->ring[0], self->at, self->cross_at);
        float late_right = past(self->ring[1], self->at, self->cross_at);
        left[i] = l + wet * share * (late_right - self->cross[0]);
        right[i] = r + wet * share * (late_left - self->cross[1]);
        self->at = (self->at + 1) & (RING - 1);
    }
}
