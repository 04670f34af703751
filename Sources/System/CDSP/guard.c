// Lets an effect add no peak above a ceiling that was not there before.
//
// Where dry + (wet - dry) would pass the ceiling (or the dry peak, if that is higher), the
// difference is taken back, for all channels alike; the dry sound itself is never touched.
#include "envelope.h"
#include "dsp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 512 };

struct mk_guard {
    mk_envelope envelope;
    int channels, latency;
    float ceiling;
    float **dry, **wet; // a channel: `latency` older frames, then the chunk
};

static float **make_lines(int channels, int length) {
    float **lines = calloc((size_t)channels, sizeof *lines);
    for (int c = 0; lines && c < channels; c++) lines[c] = calloc((size_t)length, sizeof(float));
    return lines;
}

static void free_lines(float **lines, int channels) {
    for (int c = 0; lines && c < channels; c++) free(lines[c]);
    free(lines);
}

static int are_made(float **lines, int channels) {
    for (int c = 0; lines && c < channels; c++) {
        if (!lines[c]) return 0;
    }
    return lines != NULL;
}

mk_guard *mk_guard_new(int channels, int window, double release, float ceiling) {
    mk_guard *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->channels = channels;
    self->latency = window - 1;
    self->ceiling = ceiling;
    int made = mk_envelope_init(&self->envelope, window, release);
    self->dry = make_lines(channels, window + CHUNK);
    self->wet = make_lines(channels, window + CHUNK);
    if (!made || !are_made(self->dry, channels) || !are_made(self->wet, channels)) {
        mk_guard_free(self);
        return NULL;
    }
    return self;
}

void mk_guard_free(mk_guard *self) {
    if (!self) return;
    free_lines(self->dry, self->channels);
    free_lines(self->wet, self->channels);
    mk_envelope_destroy(&self->envelope);
    free(self);
}

int mk_guard_latency(const mk_guard *self) { return self->latency; }

void mk_guard_reset(mk_guard *self) {
    for (int c = 0; c < self->channels; c++) {
        memset(self->dry[c], 0, (size_t)(self->latency + CHUNK) * sizeof(float));
        memset(self->wet[c], 0, (size_t)(self->latency + CHUNK) * sizeof(float));
    }
    mk_envelope_reset(&self->envelope);
}

static double need(const mk_guard *self, int at) {
    float least = 1;
    for (int c = 0; c < self->channels; c++) {
        float dry = self->dry[c][at], wet = self->wet[c][at];
        float limit = fabsf(dry) > self->ceiling ? fabsf(dry) : self->ceiling;
        if (fabsf(wet) <= limit) continue;
        float part = (copysignf(limit, wet) - dry) / (wet - dry);
        if (part < least) least = part;
    }
    return least > 0 ? least : 0;
}

static void process_chunk(mk_guard *self, float *const *out, int offset, int n) {
    float parts[CHUNK];
    int latency = self->latency, guarded = !mk_envelope_is_idle(&self->envelope);
    for (int c = 0; c < self->channels && !guarded; c++) {
        guarded = mk_pcm_peak(self->wet[c] + latency, n) > self->ceiling;
    }
    if (guarded) {
        for (int i = 0; i < n; i++) {
            parts[i] = mk_envelope_next(&self->envelope, need(self, latency + i));
        }
    }
    for (int c = 0; c < self->channels; c++) {
        float *dry = self->dry[c], *wet = self->wet[c], *to = out[c] + offset;
        if (guarded) {
            for (int i = 0; i < n; i++) {
                to[i] = parts[i] == 1 ? wet[i] : dry[i] + parts[i] * (wet[i] - dry[i]);
            }
        } else {
            memcpy(to, wet, (size_t)n * sizeof *to);
        }
        memmove(dry, dry + n, (size_t)latency * sizeof *dry);
        memmove(wet, wet + n, (size_t)latency * sizeof *wet);
    }
}

void mk_guard_process(mk_guard *self, const float *const *dry, float *const *wet, int n) {
    for (int offset = 0; offset < n; offset += CHUNK) {
        int count = n - offset < CHUNK ? n - offset : CHUNK;
        for (int c = 0; c < self->channels; c++) {
            size_t bytes = (size_t)count * sizeof(float);
            memcpy(self->dry[c] + self->latency, dry[c] + offset, bytes);
            memcpy(self->wet[c] + self->latency, wet[c] + offset, bytes);
        }
        process_chunk(self, wet, offset, count);
    }
}
