// The Fourier transform of complex blocks.
#ifndef MEDIAKIT_DSP_FFT_H
#define MEDIAKIT_DSP_FFT_H

/// Tables for one length.
typedef struct {
    int size;
    int *order;            // bit-reversed places
    float *cosine, *sine;  // of each stage, one after the other
} mk_fft;

/// Prepares for a power of two from 2 on; 0 when memory is short.
int mk_fft_init(mk_fft *, int size);
void mk_fft_destroy(mk_fft *);
/// Transforms in place, unscaled; swap the parts (and divide by the size) for the inverse.
void mk_fft_run(const mk_fft *, float *real, float *imaginary);

#endif
