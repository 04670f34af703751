// The smooth gain of limiters: running minimum, release, two running means.
#include "envelope.h"

#include <stdlib.h>
#include <string.h>

#define ONE (INT64_C(1) << 30)

void mk_envelope_reset(mk_envelope *self) {
    self->first_sum = ONE * self->first_length;
    self->second_sum = ONE * self->first_length * self->second_length;
    for (int i = 0; i < self->first_length; i++) self->first[i] = ONE;
    for (int i = 0; i < self->second_length; i++) self->second[i] = ONE * self->first_length;
    self->first_next = self->second_next = 0;
    self->head = self->held = 0;
    self->frame = 0;
    self->envelope = 1;
    self->quiet = 2 * (int64_t)self->window + 1;
}

int mk_envelope_init(mk_envelope *self, int window, double release) {
    memset(self, 0, sizeof *self);
    self->window = window;
    self->release = release;
    self->first_length = window / 2;
    self->second_length = window - self->first_length + 1;
    self->at = calloc((size_t)window, sizeof *self->at);
    self->need = calloc((size_t)window, sizeof *self->need);
    self->first = calloc((size_t)self->first_length, sizeof *self->first);
    self->second = calloc((size_t)self->second_length, sizeof *self->second);
    if (!self->at || !self->need || !self->first || !self->second) return 0;
    mk_envelope_reset(self);
    return 1;
}

void mk_envelope_destroy(mk_envelope *self) {
    free(self->at);
    free(self->need);
    free(self->first);
    free(self->second);
}

static double running_minimum(mk_envelope *self, double need) {
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

float mk_envelope_next(mk_envelope *self, double need) {
    double least = running_minimum(self, need);
    double back = self->envelope + (1 - self->envelope) * self->release;
    if (back > 1 - 1e-6) back = 1;
    self->envelope = least < back ? least : back;
    int64_t value = (int64_t)(self->envelope * (double)ONE);
    self->first_sum += value - self->first[self->first_next];
    self->first[self->first_next] = value;
    if (++self->first_next == self->first_length) self->first_next = 0;
    self->second_sum += self->first_sum - self->second[self->second_next];
    self->second[self->second_next] = self->first_sum;
    if (++self->second_next == self->second_length) self->second_next = 0;
    self->frame++;
    self->quiet = value == ONE ? self->quiet + 1 : 0;
    int64_t full = ONE * self->first_length * self->second_length;
    return self->second_sum == full ? 1 : (float)((double)self->second_sum / (double)full);
}
