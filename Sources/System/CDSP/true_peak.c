// The true-peak meter: interpolates only where the result can exceed the peak known so far.
#include "interpolate.h"

#include <stdlib.h>
#include <string.h>

enum { HISTORY = MK_BEFORE + MK_AFTER, CHUNK = 1024 };

struct mk_true_peak {
    const mk_interpolator *interpolator;
    float bound, peak, sample_peak;
    int seen; // samples so far, up to MK_TAPS
    float first[MK_TAPS];
    float line[HISTORY + CHUNK + MK_BLOCK]; // the end stays zero
};

mk_true_peak *mk_true_peak_new(const mk_interpolator *interpolator) {
    mk_true_peak *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->interpolator = interpolator;
    self->bound = mk_interpolator_bound(interpolator);
    return self;
}

void mk_true_peak_free(mk_true_peak *self) { free(self); }

static void search(mk_true_peak *self, int n) {
    float gaps[MK_BLOCK];
    for (int i = 0; i < n; i += MK_BLOCK) {
        int count = n - i < MK_BLOCK ? n - i : MK_BLOCK;
        // Gaps i … i + count - 1 of this chunk start at line[MK_BEFORE + i].
        const float *window = self->line + i;
        if (mk_pcm_peak(window, count - 1 + MK_TAPS) * self->bound <= self->peak) continue;
        mk_gap_peaks(self->interpolator, window + MK_BEFORE, count, gaps);
        for (int k = 0; k < count; k++) {
            if (gaps[k] > self->peak) self->peak = gaps[k];
        }
    }
}

// The start of the stream as it looks to a meter that mirrors it.
static void search_start(mk_true_peak *self, int n) {
    for (int i = 0; i < n && self->seen < MK_TAPS; i++, self->seen++) {
        self->first[self->seen] = self->line[HISTORY + i];
        int gap = self->seen - MK_AFTER;
        if (gap < 0 || gap >= MK_BEFORE) continue;
        float found = mk_mirrored_gap_peak(self->interpolator, self->first, gap);
        if (found > self->peak) self->peak = found;
    }
}

int64_t mk_true_peak_add(mk_true_peak *self, const float *in, int n) {
    int64_t replaced = 0;
    while (n > 0) {
        int count = n < CHUNK ? n : CHUNK;
        replaced += mk_pcm_copy(self->line + HISTORY, in, count);
        float peak = mk_pcm_peak(self->line + HISTORY, count);
        if (peak > self->sample_peak) self->sample_peak = peak;
        if (peak > self->peak) self->peak = peak;
        search(self, count);
        if (self->seen < MK_TAPS) search_start(self, count);
        memmove(self->line, self->line + count, HISTORY * sizeof *self->line);
        in += count;
        n -= count;
    }
    return replaced;
}

float mk_true_peak_value(const mk_true_peak *self) {
    static const float silence[HISTORY];
    mk_true_peak end = *self;
    mk_true_peak_add(&end, silence, HISTORY);
    return end.peak;
}

float mk_true_peak_sample(const mk_true_peak *self) { return self->sample_peak; }
