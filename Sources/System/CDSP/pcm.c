// Copying, joining and scaling samples, with broken ones taken out.
#include "dsp.h"
#include "wide.h"

#include <string.h>

// The bits of |x| order like |x|; from 2^40 on (240 dB over full scale) a sample is broken.
enum { BROKEN = 0x53800000 };

static inline int32_t magnitude_bits(float x) {
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x7fffffff;
}

MK_WIDE static int32_t largest_bits(const float *in, int n) {
    int32_t largest = 0;
    for (int i = 0; i < n; i++) {
        int32_t bits = magnitude_bits(in[i]);
        largest = bits > largest ? bits : largest;
    }
    return largest;
}

int64_t mk_pcm_copy(float *out, const float *in, int n) {
    int64_t replaced = 0;
    if (largest_bits(in, n) < BROKEN) {
        if (out != in) memmove(out, in, (size_t)n * sizeof *out);
        return 0;
    }
    for (int i = 0; i < n; i++) {
        int bad = magnitude_bits(in[i]) >= BROKEN;
        out[i] = bad ? 0 : in[i];
        replaced += bad;
    }
    return replaced;
}

MK_WIDE static void join_pair(float *out, const float *left, const float *right, int n) {
    for (int i = 0; i < n; i++) {
        out[2 * i] = left[i];
        out[2 * i + 1] = right[i];
    }
}

int64_t mk_pcm_interleave(float *out, const float *const *in, int channels, int n) {
    int64_t replaced = 0;
    int is_clean = 1;
    for (int c = 0; c < channels; c++) is_clean = is_clean && largest_bits(in[c], n) < BROKEN;
    if (is_clean && channels == 2) {
        join_pair(out, in[0], in[1], n);
        return 0;
    }
    for (int c = 0; c < channels; c++) {
        const float *plane = in[c];
        if (is_clean) {
            for (int i = 0; i < n; i++) out[(int64_t)i * channels + c] = plane[i];
            continue;
        }
        for (int i = 0; i < n; i++) {
            int bad = magnitude_bits(plane[i]) >= BROKEN;
            out[(int64_t)i * channels + c] = bad ? 0 : plane[i];
            replaced += bad;
        }
    }
    return replaced;
}

float mk_pcm_peak(const float *in, int n) {
    int32_t bits = largest_bits(in, n);
    float peak;
    memcpy(&peak, &bits, sizeof peak);
    return peak;
}

void mk_pcm_ramp(float *out, const float *in, int n, float first, float step, int offset) {
    if (step == 0) {
        if (first == 1 && out == in) return;
        for (int i = 0; i < n; i++) out[i] = in[i] * first;
        return;
    }
    for (int i = 0; i < n; i++) out[i] = in[i] * (first + step * (float)(offset + i));
}

double mk_pcm_energy(const float *in, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (double)in[i] * in[i];
    return sum;
}

double mk_pcm_middle_energy(const float *left, const float *right, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double middle = 0.5 * ((double)left[i] + right[i]);
        sum += middle * middle;
    }
    return sum;
}

void mk_pcm_matrix(
    float *left, float *right, int n, int offset, const float first[4], const float step[4]) {
    for (int i = 0; i < n; i++) {
        float place = (float)(offset + i), l = left[i], r = right[i];
        left[i] = (first[0] + step[0] * place) * l + (first[1] + step[1] * place) * r;
        right[i] = (first[2] + step[2] * place) * l + (first[3] + step[3] * place) * r;
    }
}

void mk_pcm_exchange(float *a, float *b, int n) {
    for (int i = 0; i < n; i++) {
        float swap = a[i];
        a[i] = b[i];
        b[i] = swap;
    }
}
