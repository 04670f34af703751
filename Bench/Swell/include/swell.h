// The work of a filter that is measured both built in and behind the plugins' header.
#ifndef MEDIAKIT_BENCH_SWELL_H
#define MEDIAKIT_BENCH_SWELL_H

#include <stdint.h>

/// Lets the loudness of planar samples swell 5 times a second; `phase` goes on from call to call.
void swell_run(float *const *planes, int32_t channels, int32_t n, int32_t rate, double *phase);

#endif
