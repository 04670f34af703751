#include "swell.h"

#include <math.h>

void swell_run(float *const *planes, int32_t channels, int32_t n, int32_t rate, double *phase) {
    for (int32_t i = 0; i < n; i++) {
        float gain = (float)(0.75 + 0.25 * cos(2 * 3.14159265358979323846 * *phase));
        for (int32_t c = 0; c < channels; c++) planes[c][i] *= gain;
        *phase += 5.0 / rate;
        if (*phase >= 1) *phase -= 1;
    }
}
