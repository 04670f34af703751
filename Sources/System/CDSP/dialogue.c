// Lifts what stands in the middle, or out of a steady background, over the rest.
//
// Short-time spectra (sine window, three quarters overlap). A pair of channels: the power of the
// side signal tells how much of the middle is background, since sound without a place is as strong
// in one as in the other. One channel: the background is the floor that the power of each band
// falls back to between words. The gain of each band goes from `floor` (background) to `boost`
// (voice); where there is no room for the boost under full scale, the background goes down instead,
// so that the ratio stays. What changes is added to both channels of a pair alike, so the side
// never changes.
#include "dsp.h"
#include "fft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct mk_dialogue {
    int channels, size, hop, fill, active;
    float keep;         // part of the power of earlier blocks that counts in the middle's power
    float keep_background; // the same for a pair's background, which changes more slowly
    float sink;         // how fast remembered peaks are forgotten, a hop
    float peak, middle_peak;
    float rise;         // how fast the background of one channel is followed upwards, a hop
    mk_fft fft;
    float *window, *band;
    float *line[2];     // the newest `size` frames
    float *ready[2];    // a hop of delayed input
    float *change;      // the change that is added up, `size` frames; the first hop is ready
    float *ready_change;
    float *real, *imaginary;
    float *middle, *background; // smoothed powers
};

// -0.3 dB, as in the guard; and the least gain of the background, -24 dB.
static const float FULL_SCALE = 0.966f, LEAST_FLOOR = 0.063f;
// One channel, a pair: how much of the background is taken off, and seconds of smoothing. The side
// is another noise than the background in the middle, of the same power only on average: it is
// averaged over more time and bands than the middle, which has to follow the voice.
static const float over_subtraction[2] = {3.0f, 2.0f};
static const double middle_time[2] = {0.03, 0.02}, background_time = 0.12;
enum { BACKGROUND_REACH = 3 }; // bands to either side

static int make(float **array, int count) {
    *array = calloc((size_t)count, sizeof **array);
    return *array != NULL;
}

void mk_dialogue_free(mk_dialogue *self) {
    if (!self) return;
    mk_fft_destroy(&self->fft);
    for (int c = 0; c < 2; c++) {
        free(self->line[c]);
        free(self->ready[c]);
    }
    free(self->window);
    free(self->band);
    free(self->change);
    free(self->ready_change);
    free(self->real);
    free(self->imaginary);
    free(self->middle);
    free(self->background);
    free(self);
}

mk_dialogue *mk_dialogue_new(int channels, int size, double rate) {
    mk_dialogue *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    int bins = size / 2 + 1, hop = size / 4;
    self->channels = channels;
    self->size = size;
    self->hop = hop;
    self->keep = (float)exp(-hop / (middle_time[channels > 1] * rate));
    self->keep_background = (float)exp(-hop / (background_time * rate));
    self->sink = (float)exp(-hop / (10 * rate));
    self->rise = (float)pow(10, 0.3 * hop / rate); // 3 dB a second
    int made = mk_fft_init(&self->fft, size) && make(&self->window, size)
        && make(&self->band, bins) && make(&self->change, size) && make(&self->ready_change, hop)
        && make(&self->real, size) && make(&self->imaginary, size) && make(&self->middle, bins)
        && make(&self->background, bins);
    for (int c = 0; made && c < channels; c++) {
        made = make(&self->line[c], size) && make(&self->ready[c], hop);
    }
    if (!made) {
        mk_dialogue_free(self);
        return NULL;
    }
    for (int i = 0; i < size; i++) self->window[i] = (float)sin(M_PI * (i + 0.5) / size);
    for (int k = 1; k < bins; k++) {
        // Nothing is changed under the voice: 60 Hz, 36 dB an octave.
        self->band[k] = (float)(1 / (1 + pow(60 / (k * rate / size), 6)));
    }
    return self;
}

int mk_dialogue_latency(const mk_dialogue *self) { return self->size; }

void mk_dialogue_reset(mk_dialogue *self) {
    for (int c = 0; c < self->channels; c++) {
        memset(self->line[c], 0, (size_t)self->size * sizeof(float));
        memset(self->ready[c], 0, (size_t)self->hop * sizeof(float));
    }
    memset(self->change, 0, (size_t)self->size * sizeof(float));
    memset(self->ready_change, 0, (size_t)self->hop * sizeof(float));
    self->fill = 0;
    self->active = 0;
    self->peak = self->middle_peak = 0;
}

// Spectra of middle and side: the real and imaginary part of one transform's input.
static void analyse(mk_dialogue *self, float *middle, float *side) {
    int size = self->size, bins = size / 2 + 1;
    for (int i = 0; i < size; i++) {
        float left = self->line[0][i];
        float right = self->channels > 1 ? self->line[1][i] : left;
        self->real[i] = 0.5f * (left + right) * self->window[i];
        self->imaginary[i] = 0.5f * (left - right) * self->window[i];
    }
    mk_fft_run(&self->fft, self->real, self->imaginary);
    for (int k = 0; k < bins; k++) {
        int mirror = (size - k) % size;
        float re = self->real[k], im = self->imaginary[k];
        float mre = self->real[mirror], mim = self->imaginary[mirror];
        float a = re + mre, b = im - mim, c = im + mim, d = mre - re;
        middle[k] = 0.25f * (a * a + b * b);
        side[k] = 0.25f * (c * c + d * d);
        // What is left in place is the middle's spectrum.
        self->real[k] = 0.5f * a;
        self->imaginary[k] = 0.5f * b;
    }
}

// The mean of a band and its neighbours, the nearer the more.
static float spread(const float *power, int k, int bins, int reach) {
    float sum = 0, weights = 0;
    for (int i = -reach; i <= reach; i++) {
        if (k + i < 0 || k + i >= bins) continue;
        float weight = (float)(reach + 1 - abs(i));
        sum += weight * power[k + i];
        weights += weight;
    }
    return sum / weights;
}

static void follow(mk_dialogue *self, const float *middle, const float *side) {
    int bins = self->size / 2 + 1, is_pair = self->channels > 1;
    float keep = self->active ? self->keep : 0;
    float keep_background = self->active ? self->keep_background : 0;
    for (int k = 0; k < bins; k++) {
        float now = is_pair ? middle[k] : spread(middle, k, bins, 1);
        self->middle[k] = keep * self->middle[k] + (1 - keep) * now;
        if (is_pair) {
            self->background[k] = keep_background * self->background[k]
                + (1 - keep_background) * spread(side, k, bins, BACKGROUND_REACH);
        } else if (!self->active || self->middle[k] < self->background[k]) {
            self->background[k] = self->middle[k];
        } else {
            self->background[k] *= self->rise;
        }
    }
    self->active = 1;
}

// Adds what the gains change of the newest block.
static void change_block(mk_dialogue *self, float boost, float floor) {
    int size = self->size, bins = size / 2 + 1;
    float middle[size / 2 + 1], side[size / 2 + 1];
    analyse(self, middle, side);
    follow(self, middle, side);
    float over = over_subtraction[self->channels > 1];
    for (int k = 0; k < bins; k++) {
        float background = self->background[k] + 1e-12f;
        float voice = self->middle[k] - over * self->background[k];
        float share = voice > 0 ? voice / (voice + background) : 0;
        share *= sqrtf(share);
        float gain = (floor + (boost - floor) * share - 1) * self->band[k];
        self->real[k] *= gain;
        self->imaginary[k] *= gain;
    }
    for (int k = 1; k < size / 2; k++) {
        self->real[size - k] = self->real[k];
        self->imaginary[size - k] = -self->imaginary[k];
    }
    self->imaginary[0] = self->imaginary[size / 2] = 0;
    mk_fft_run(&self->fft, self->imaginary, self->real);
    // Four windows squared add up to 2.
    float scale = 0.5f / (float)size;
    for (int i = 0; i < size; i++) self->change[i] += scale * self->real[i] * self->window[i];
}

// Remembers the largest samples; the newest hop has three more to go before it is heard.
static void follow_peaks(mk_dialogue *self) {
    const float *left = self->line[0] + self->size - self->hop;
    const float *right = self->channels > 1 ? self->line[1] + self->size - self->hop : left;
    self->peak *= self->sink;
    self->middle_peak *= self->sink;
    for (int i = 0; i < self->hop; i++) {
        float middle = 0.5f * fabsf(left[i] + right[i]);
        float larger = fabsf(left[i]) > fabsf(right[i]) ? fabsf(left[i]) : fabsf(right[i]);
        if (middle > self->middle_peak) self->middle_peak = middle;
        if (larger > self->peak) self->peak = larger;
    }
}

static void next_hop(mk_dialogue *self, float boost, float floor) {
    int size = self->size, hop = self->hop;
    follow_peaks(self);
    if (boost == 1 && floor == 1) {
        self->active = 0;
    } else {
        // A voice that fills the middle adds (boost - 1) times the middle to each channel.
        // Peaks are rare: 1 dB more is left to the guard.
        float room = 1.12f * (1 + (FULL_SCALE - self->peak) / (self->middle_peak + 1e-9f));
        float given = room < 1 ? 1 : room < boost ? room : boost;
        floor *= given / boost;
        if (floor < LEAST_FLOOR) floor = LEAST_FLOOR;
        boost = given;
        change_block(self, boost, floor);
    }
    memcpy(self->ready_change, self->change, (size_t)hop * sizeof(float));
    memmove(self->change, self->change + hop, (size_t)(size - hop) * sizeof(float));
    memset(self->change + size - hop, 0, (size_t)hop * sizeof(float));
    for (int c = 0; c < self->channels; c++) {
        memcpy(self->ready[c], self->line[c], (size_t)hop * sizeof(float));
        memmove(self->line[c], self->line[c] + hop, (size_t)(size - hop) * sizeof(float));
    }
    self->fill = 0;
}

void mk_dialogue_process(
    mk_dialogue *self, float *const *planes, float *const *dry, int n, float boost, float floor) {
    for (int done = 0; done < n;) {
        int count = self->hop - self->fill < n - done ? self->hop - self->fill : n - done;
        for (int c = 0; c < self->channels; c++) {
            float *plane = planes[c] + done, *delayed = dry[c] + done;
            float *newest = self->line[c] + self->size - self->hop + self->fill;
            memcpy(newest, plane, (size_t)count * sizeof(float));
            memcpy(delayed, self->ready[c] + self->fill, (size_t)count * sizeof(float));
            const float *change = self->ready_change + self->fill;
            for (int i = 0; i < count; i++) plane[i] = delayed[i] + change[i];
        }
        self->fill += count;
        done += count;
        if (self->fill == self->hop) next_hop(self, boost, floor);
    }
}
