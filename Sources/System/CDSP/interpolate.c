// A polyphase windowed sinc: Kaiser window, beta 9, over 32 samples, unit gain at zero frequency.
//
// The same design as libswresample's default, so that the peaks found are those that a meter on
// top of it finds.
#include "interpolate.h"
#include "wide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct mk_interpolator {
    int phases;
    float bound;
    float taps[][MK_TAPS]; // phases - 1 rows; phase 0 is the sample itself
};

static double bessel0(double x) {
    double sum = 1, term = 1;
    for (int k = 1; k < 64; k++) {
        term *= x * x / (4.0 * k * k);
        sum += term;
    }
    return sum;
}

mk_interpolator *mk_interpolator_new(int phases) {
    if (phases < 1 || phases > 64) return NULL;
    mk_interpolator *self = calloc(1, sizeof *self + (size_t)phases * sizeof self->taps[0]);
    if (!self) return NULL;
    self->phases = phases;
    self->bound = 1;
    for (int p = 1; p < phases; p++) {
        double row[MK_TAPS], sum = 0, magnitudes = 0;
        for (int k = 0; k < MK_TAPS; k++) {
            double t = k - MK_BEFORE - (double)p / phases;
            double w = 2 * t / MK_TAPS;
            double window = w * w < 1 ? bessel0(9 * sqrt(1 - w * w)) : 1;
            row[k] = window * sin(M_PI * t) / (M_PI * t);
            sum += row[k];
        }
        for (int k = 0; k < MK_TAPS; k++) {
            self->taps[p - 1][k] = (float)(row[k] / sum);
            magnitudes += fabs(row[k] / sum);
        }
        if (magnitudes > self->bound) self->bound = (float)magnitudes;
    }
    if (phases > 1) self->bound *= 1.00001f; // covers rounding
    return self;
}

void mk_interpolator_free(mk_interpolator *self) { free(self); }

float mk_interpolator_bound(const mk_interpolator *self) { return self->bound; }

MK_WIDE static void block(const mk_interpolator *self, const float *x, float *gaps) {
    for (int i = 0; i < MK_BLOCK; i++) gaps[i] = fabsf(x[i]);
    for (int p = 0; p < self->phases - 1; p++) {
        const float *taps = self->taps[p];
        float sum[MK_BLOCK] = {0};
        for (int k = 0; k < MK_TAPS; k++) {
            const float tap = taps[k];
            const float *from = x + k - MK_BEFORE;
            for (int i = 0; i < MK_BLOCK; i++) sum[i] += tap * from[i];
        }
        for (int i = 0; i < MK_BLOCK; i++) {
            float magnitude = fabsf(sum[i]);
            gaps[i] = magnitude > gaps[i] ? magnitude : gaps[i];
        }
    }
}

void mk_gap_peaks(const mk_interpolator *self, const float *x, int n, float *gaps) {
    int i = 0;
    for (; i + MK_BLOCK <= n; i += MK_BLOCK) block(self, x + i, gaps + i);
    if (i < n) {
        float padded[MK_BEFORE + MK_BLOCK + MK_AFTER] = {0}, found[MK_BLOCK];
        memcpy(padded, x + i - MK_BEFORE, (size_t)(MK_BEFORE + n - i + MK_AFTER) * sizeof *padded);
        block(self, padded + MK_BEFORE, found);
        memcpy(gaps + i, found, (size_t)(n - i) * sizeof *gaps);
    }
}

float mk_mirrored_gap_peak(const mk_interpolator *self, const float *first, int gap) {
    float around[MK_TAPS], found;
    for (int k = 0; k < MK_TAPS; k++) {
        int place = gap + k - MK_BEFORE;
        around[k] = first[place < 0 ? -place : place];
    }
    mk_gap_peaks(self, around + MK_BEFORE, 1, &found);
    return found;
}
