// A look-ahead limiter on the peak between samples.
//
// The gain each frame needs is the ceiling over its peak; an envelope makes it smooth.
#include "envelope.h"
#include "interpolate.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 512, HISTORY = MK_BEFORE + MK_AFTER };

struct mk_limiter {
    const mk_interpolator *interpolator;
    float bound, ceiling, least;
    int channels, latency, capacity;
    mk_envelope envelope;
    float **line;         // a channel: `latency` + HISTORY older frames, then the chunk
    float **starts;       // a channel: the first MK_TAPS frames
    int seen;             // frames so far, up to MK_TAPS
    float last_gap;       // the gap before the chunk's first
};

void mk_limiter_reset(mk_limiter *self) {
    for (int c = 0; c < self->channels; c++) {
        memset(self->line[c], 0, (size_t)self->capacity * sizeof(float));
    }
    self->last_gap = 0;
    self->seen = 0;
    mk_envelope_reset(&self->envelope);
}

void mk_limiter_free(mk_limiter *self) {
    if (!self) return;
    for (int c = 0; self->line && c < self->channels; c++) free(self->line[c]);
    for (int c = 0; self->starts && c < self->channels; c++) free(self->starts[c]);
    free(self->line);
    free(self->starts);
    mk_envelope_destroy(&self->envelope);
    free(self);
}

mk_limiter *mk_limiter_new(
    const mk_interpolator *interpolator, int channels, int window, float ceiling, double release) {
    mk_limiter *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    if (window < 4) window = 4;
    self->interpolator = interpolator;
    self->bound = mk_interpolator_bound(interpolator);
    self->ceiling = ceiling;
    self->channels = channels;
    self->latency = window - 1 + MK_AFTER;
    self->capacity = self->latency + HISTORY + CHUNK + MK_BLOCK;
    self->line = calloc((size_t)channels, sizeof *self->line);
    self->starts = calloc((size_t)channels, sizeof *self->starts);
    int made = mk_envelope_init(&self->envelope, window, release) && self->line && self->starts;
    for (int c = 0; made && c < channels; c++) {
        self->line[c] = calloc((size_t)self->capacity, sizeof(float));
        self->starts[c] = calloc(MK_TAPS, sizeof(float));
        made = self->line[c] && self->starts[c];
    }
    if (!made) {
        mk_limiter_free(self);
        return NULL;
    }
    self->least = 1;
    mk_limiter_reset(self);
    return self;
}

int mk_limiter_latency(const mk_limiter *self) { return self->latency; }
void mk_limiter_set_ceiling(mk_limiter *self, float ceiling) { self->ceiling = ceiling; }
float mk_limiter_least_gain(const mk_limiter *self) { return self->least; }

// Peaks of the chunk's gaps over all channels; 0 where they cannot pass the ceiling.
static float find_gaps(const mk_limiter *self, int n, float *gaps) {
    float found[MK_BLOCK], largest = 0;
    memset(gaps, 0, (size_t)n * sizeof *gaps);
    for (int c = 0; c < self->channels; c++) {
        const float *line = self->line[c] + self->latency;
        for (int i = 0; i < n; i += MK_BLOCK) {
            int count = n - i < MK_BLOCK ? n - i : MK_BLOCK;
            if (mk_pcm_peak(line + i, count - 1 + MK_TAPS) * self->bound <= self->ceiling) continue;
            mk_gap_peaks(self->interpolator, line + i + MK_BEFORE, count, found);
            for (int k = 0; k < count; k++) {
                if (found[k] > gaps[i + k]) gaps[i + k] = found[k];
                if (found[k] > largest) largest = found[k];
            }
        }
    }
    return largest;
}

// The start of the stream once more, as it looks to a meter that mirrors it.
static float find_mirrored_gaps(mk_limiter *self, int n, float *gaps) {
    float largest = 0;
    for (int i = 0; i < n && self->seen < MK_TAPS; i++, self->seen++) {
        int gap = self->seen - MK_AFTER;
        for (int c = 0; c < self->channels; c++) {
            self->starts[c][self->seen] = self->line[c][self->latency + HISTORY + i];
            if (gap < 0 || gap >= MK_BEFORE) continue;
            float found = mk_mirrored_gap_peak(self->interpolator, self->starts[c], gap);
            if (found > gaps[i]) gaps[i] = found;
            if (found > largest) largest = found;
        }
    }
    return largest;
}

static void process_chunk(mk_limiter *self, float *const *out, int offset, int n) {
    float gaps[CHUNK], gains[CHUNK];
    float largest = find_gaps(self, n, gaps);
    if (self->seen < MK_TAPS) {
        float mirrored = find_mirrored_gaps(self, n, gaps);
        largest = mirrored > largest ? mirrored : largest;
    }
    int limited = largest > self->ceiling || self->last_gap > self->ceiling
        || !mk_envelope_is_idle(&self->envelope);
    if (limited) {
        float before = self->last_gap;
        for (int i = 0; i < n; i++) {
            float peak = gaps[i] > before ? gaps[i] : before;
            double need = peak > self->ceiling ? (double)self->ceiling / peak : 1;
            gains[i] = mk_envelope_next(&self->envelope, need);
            if (gains[i] < self->least) self->least = gains[i];
            before = gaps[i];
        }
    }
    self->last_gap = gaps[n - 1];
    for (int c = 0; c < self->channels; c++) {
        float *line = self->line[c];
        // The frame that the chunk's first gain belongs to is `latency` before the first new one.
        const float *from = line + HISTORY;
        float *to = out[c] + offset;
        if (limited) {
            for (int i = 0; i < n; i++) to[i] = from[i] * gains[i];
        } else {
            memcpy(to, from, (size_t)n * sizeof *to);
        }
        memmove(line, line + n, (size_t)(self->latency + HISTORY) * sizeof *line);
    }
}

int64_t mk_limiter_process(
    mk_limiter *self, const float *const *in, float *const *out, int n, float gain) {
    int64_t replaced = 0;
    for (int offset = 0; offset < n; offset += CHUNK) {
        int count = n - offset < CHUNK ? n - offset : CHUNK;
        for (int c = 0; c < self->channels; c++) {
            float *line = self->line[c] + self->latency + HISTORY;
            replaced += mk_pcm_copy(line, in[c] + offset, count);
            mk_pcm_ramp(line, line, count, gain, 0, 0);
        }
        process_chunk(self, out, offset, count);
    }
    return replaced;
}
