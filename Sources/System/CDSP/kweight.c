// The K-weighted energy of a signal.
//
// Two second-order sections in transposed direct form, two channels at a time in one vector. The
// sections are the bilinear transforms of the analogue filters behind the table of ITU-R BS.1770-4
// (annex 1), so that any rate gets the same curve; at 48 kHz the coefficients are the table's.
#include "dsp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 480 };

typedef double pair_t __attribute__((vector_size(16)));

typedef struct {
    double b0, b1, b2, a1, a2;
} section;

typedef struct {
    pair_t shelf1, shelf2, high1, high2;
} memory;

struct mk_kweight {
    int channels;
    section shelf, high;
    double *weights;
    memory *memories; // one for each pair of channels
};

static section make_shelf(double rate) {
    const double gain = 3.999843853973347, quality = 0.7071752369554196;
    double k = tan(M_PI * 1681.974450955533 / rate);
    double top = pow(10, gain / 20), middle = pow(top, 0.4996667741545416);
    double a0 = 1 + k / quality + k * k;
    section made = {
        (top + middle * k / quality + k * k) / a0, 2 * (k * k - top) / a0,
        (top - middle * k / quality + k * k) / a0, 2 * (k * k - 1) / a0,
        (1 - k / quality + k * k) / a0,
    };
    return made;
}

static section make_high_pass(double rate) {
    const double quality = 0.5003270373238773;
    double k = tan(M_PI * 38.13547087602444 / rate);
    double a0 = 1 + k / quality + k * k;
    section made = {1, -2, 1, 2 * (k * k - 1) / a0, (1 - k / quality + k * k) / a0};
    return made;
}

mk_kweight *mk_kweight_new(int channels, double rate, const double *weights) {
    mk_kweight *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->channels = channels;
    self->shelf = make_shelf(rate);
    self->high = make_high_pass(rate);
    self->weights = calloc((size_t)channels + 1, sizeof *self->weights);
    size_t bytes = (size_t)(channels + 1) / 2 * sizeof *self->memories;
    self->memories = aligned_alloc(16, (bytes + 15) / 16 * 16);
    if (!self->weights || !self->memories) {
        mk_kweight_free(self);
        return NULL;
    }
    memcpy(self->weights, weights, (size_t)channels * sizeof *weights);
    mk_kweight_reset(self);
    return self;
}

void mk_kweight_free(mk_kweight *self) {
    if (!self) return;
    free(self->weights);
    free(self->memories);
    free(self);
}

void mk_kweight_reset(mk_kweight *self) {
    memset(self->memories, 0, (size_t)(self->channels + 1) / 2 * sizeof *self->memories);
}

// Memories that fade out end at 0 rather than in numbers too small to be fast.
static pair_t settled(pair_t value) {
    for (int i = 0; i < 2; i++) {
        if (fabs(value[i]) < 1e-30) value[i] = 0;
    }
    return value;
}

static pair_t run(
    const mk_kweight *self, memory *kept, const float *left, const float *right, int n) {
    const section s = self->shelf, h = self->high;
    memory m = *kept;
    pair_t sum = {0, 0};
    for (int i = 0; i < n; i++) {
        pair_t x = {left[i], right[i]};
        pair_t y = s.b0 * x + m.shelf1;
        m.shelf1 = (s.b1 * x + m.shelf2) - s.a1 * y;
        m.shelf2 = s.b2 * x - s.a2 * y;
        pair_t z = h.b0 * y + m.high1;
        m.high1 = (h.b1 * y + m.high2) - h.a1 * z;
        m.high2 = h.b2 * y - h.a2 * z;
        sum += z * z;
    }
    m.shelf1 = settled(m.shelf1);
    m.shelf2 = settled(m.shelf2);
    m.high1 = settled(m.high1);
    m.high2 = settled(m.high2);
    *kept = m;
    return sum;
}

int64_t mk_kweight_add(mk_kweight *self, const float *const *in, int n, double *energy) {
    static const float silence[CHUNK];
    float planes[2][CHUNK];
    int64_t replaced = 0;
    for (int done = 0; done < n; done += CHUNK) {
        int count = n - done < CHUNK ? n - done : CHUNK;
        for (int c = 0; c < self->channels; c += 2) {
            int last = c + 1 == self->channels;
            double left = self->weights[c], right = last ? 0 : self->weights[c + 1];
            replaced += mk_pcm_copy(planes[0], in[c] + done, count);
            if (!last) replaced += mk_pcm_copy(planes[1], in[c + 1] + done, count);
            if (left == 0 && right == 0) continue;
            pair_t sums = run(
                self, self->memories + c / 2, planes[0], last ? silence : planes[1], count);
            *energy += left * sums[0] + right * sums[1];
        }
    }
    return replaced;
}
