// Radix-2 decimation in time on separate real and imaginary parts.
#include "fft.h"

#include <math.h>
#include <stdlib.h>

int mk_fft_init(mk_fft *self, int size) {
    self->size = size;
    self->order = calloc((size_t)size, sizeof *self->order);
    self->cosine = calloc((size_t)size, sizeof *self->cosine);
    self->sine = calloc((size_t)size, sizeof *self->sine);
    if (!self->order || !self->cosine || !self->sine) return 0;
    for (int i = 1; i < size; i++) {
        self->order[i] = self->order[i / 2] / 2 + (i % 2 ? size / 2 : 0);
    }
    // The stage that joins halves of length h has its factors at h … 2h - 1.
    for (int half = 1; half < size; half *= 2) {
        for (int k = 0; k < half; k++) {
            self->cosine[half + k] = (float)cos(M_PI * k / half);
            self->sine[half + k] = (float)-sin(M_PI * k / half);
        }
    }
    return 1;
}

void mk_fft_destroy(mk_fft *self) {
    free(self->order);
    free(self->cosine);
    free(self->sine);
}

void mk_fft_run(const mk_fft *self, float *restrict real, float *restrict imaginary) {
    int size = self->size;
    for (int i = 0; i < size; i++) {
        int j = self->order[i];
        if (j <= i) continue;
        float swap = real[i];
        real[i] = real[j];
        real[j] = swap;
        swap = imaginary[i];
        imaginary[i] = imaginary[j];
        imaginary[j] = swap;
    }
    for (int half = 1; half < size; half *= 2) {
        const float *cosine = self->cosine + half, *sine = self->sine + half;
        for (int start = 0; start < size; start += 2 * half) {
            float *ra = real + start, *ia = imaginary + start;
            float *rb = ra + half, *ib = ia + half;
            for (int k = 0; k < half; k++) {
                float re = rb[k] * cosine[k] - ib[k] * sine[k];
                float im = rb[k] * sine[k] + ib[k] * cosine[k];
                rb[k] = ra[k] - re;
                ib[k] = ia[k] - im;
                ra[k] += re;
                ia[k] += im;
            }
        }
    }
}
