// A look-ahead limiter on the peak between samples.
//
// The gain each frame needs is the ceiling over its peak. A running minimum over the window makes
// every gain in reach of a peak small enough, the release lets it come back exponentially, and two
// running means of half the window each round the corners: a mean of values that are all small
// enough is small enough itself. The means run on integers, so that they return to exactly 1.
#include "interpolate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 512, HISTORY = MK_BEFORE + MK_AFTER };
#define ONE (INT64_C(1) << 30)

struct mk_limiter {
    const mk_interpolator *interpolator;
    float bound, ceiling, least;
    double release;
    int channels, window, latency, capacity;
    float **line;         // a channel: `latency` + HISTORY older frames, then the chunk
    float **starts;       // a channel: the first MK_TAPS frames
    int seen;             // frames so far, up to MK_TAPS
    float last_gap;       // the gap before the chunk's first
    int64_t frame;  // counts gains
    int quiet;      // frames in a row that needed no gain, up to 2 * window + 1
    double envelope;
    // running minimum: frames and values, rising, in a ring of `window`
    int64_t *at;
    double *need;
    int head, held;
    // the two running means
    int64_t *first, *second, first_sum, second_sum;
    int first_length, second_length, first_next, second_next;
};

static void refill(mk_limiter *self) {
    self->first_sum = ONE * self->first_length;
    self->second_sum = ONE * self->first_length * self->second_length;
    for (int i = 0; i < self->first_length; i++) self->first[i] = ONE;
    for (int i = 0; i < self->second_length; i++) self->second[i] = ONE * self->first_length;
    self->first_next = self->second_next = 0;
    self->head = self->held = 0;
    self->envelope = 1;
}

void mk_limiter_reset(mk_limiter *self) {
    for (int c = 0; c < self->channels; c++) {
        memset(self->line[c], 0, (size_t)self->capacity * sizeof(float));
    }
    self->last_gap = 0;
    self->frame = 0;
    self->seen = 0;
    self->quiet = 2 * self->window + 1;
    refill(self);
}

void mk_limiter_free(mk_limiter *self) {
    if (!self) return;
    for (int c = 0; self->line && c < self->channels; c++) free(self->line[c]);
    for (int c = 0; self->starts && c < self->channels; c++) free(self->starts[c]);
    free(self->line);
    free(self->starts);
    free(self->at);
    free(self->need);
    free(self->first);
    free(self->second);
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
    self->release = release;
    self->channels = channels;
    self->window = window;
    self->latency = window - 1 + MK_AFTER;
    self->capacity = self->latency + HISTORY + CHUNK + MK_BLOCK;
    self->first_length = window / 2;
    self->second_length = window - self->first_length + 1;
    self->line = calloc((size_t)channels, sizeof *self->line);
    self->starts = calloc((size_t)channels, sizeof *self->starts);
    self->at = calloc((size_t)window, sizeof *self->at);
    self->need = calloc((size_t)window, sizeof *self->need);
    self->first = calloc((size_t)self->first_length, sizeof *self->first);
    self->second = calloc((size_t)self->second_length, sizeof *self->second);
    int made = self->line && self->starts && self->at && self->need && self->first && self->second;
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

static double running_minimum(mk_limiter *self, double need) {
    int window = self->window;
    if (self->held && self->at[self->head] <= self->frame - window) {
        self->head = (self->head + 1) % window;
        self->held--;
    }
    while (self->held && self->need[(self->head + self->held - 1) % window] >= need) self->held--;
    int last = (self->head + self->held) % window;
    self->at[last] = self->frame;
    self->need[last] = need;
    self->held++;
    return self->need[self->head];
}

static float next_gain(mk_limiter *self, float peak) {
    double need = peak > self->ceiling ? (double)self->ceiling / peak : 1;
    double least = running_minimum(self, need);
    double back = self->envelope + (1 - self->envelope) * self->release;
    if (back > 1 - 1e-6) back = 1;
    self->envelope = least < back ? least : back;
    int64_t value = (int64_t)(self->envelope * (double)ONE);
    self->first_sum += value - self->first[self->first_next];
    self->first[self->first_next] = value;
    self->first_next = (self->first_next + 1) % self->first_length;
    self->second_sum += self->first_sum - self->second[self->second_next];
    self->second[self->second_next] = self->first_sum;
    self->second_next = (self->second_next + 1) % self->second_length;
    self->frame++;
    self->quiet = value == ONE ? self->quiet + 1 : 0;
    int64_t full = ONE * self->first_length * self->second_length;
    if (self->second_sum == full) return 1;
    float gain = (float)((double)self->second_sum / (double)full);
    if (gain < self->least) self->least = gain;
    return gain;
}

static void process_chunk(mk_limiter *self, float *const *out, int offset, int n) {
    float gaps[CHUNK], gains[CHUNK];
    float largest = find_gaps(self, n, gaps);
    if (self->seen < MK_TAPS) {
        float mirrored = find_mirrored_gaps(self, n, gaps);
        largest = mirrored > largest ? mirrored : largest;
    }
    int limited = largest > self->ceiling || self->last_gap > self->ceiling
        || self->quiet <= 2 * self->window;
    if (limited) {
        if (self->quiet > 2 * self->window) refill(self);
        float before = self->last_gap;
        for (int i = 0; i < n; i++) {
            gains[i] = next_gain(self, gaps[i] > before ? gaps[i] : before);
            before = gaps[i];
        }
        if (self->quiet > 2 * self->window) self->quiet = 2 * self->window + 1;
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
