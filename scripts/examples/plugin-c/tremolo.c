// A first plugin: one audio filter, in one file.
//
//   cc -shared -fPIC -O2 -I ../../../Sources/System/MediaKitPluginABI/include tremolo.c -o tremolo.so -lm
//   mediakit plugins --plugin ./tremolo.so
//   mediakit play --plugin ./tremolo.so --filter 'tremolo-c=depth=0.8:rate=5' film.mp4
#include <mediakit_plugin.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct tremolo {
    double depth, rate;  // 0…1, Hz
    double phase;        // 0…1, of the swell
    int sample_rate, channels;
} tremolo;

// Options as data: the host checks values, prints help, and fills in defaults.

static const mk_option depth = {
    .struct_size = sizeof(mk_option), .kind = MK_DOUBLE, .name = "depth",
    .summary = "How deep the loudness swells.", .flags = MK_OPTION_LIVE,
    .minimum = 0, .maximum = 1, .default_number = 0.5};
static const mk_option rate = {
    .struct_size = sizeof(mk_option), .kind = MK_DOUBLE, .name = "rate",
    .summary = "How often it swells.", .unit = "Hz", .flags = MK_OPTION_LIVE,
    .minimum = 0.1, .maximum = 20, .default_number = 5};
static const mk_option *const options[] = {&depth, &rate};

static int32_t update(void *self, const mk_value *values, size_t count) {
    tremolo *t = self;
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(values[i].name, "depth")) t->depth = values[i].number;
        if (!strcmp(values[i].name, "rate")) t->rate = values[i].number;
    }
    return MK_OK;
}

static int32_t create(
    const mk_host *host, const mk_value *values, size_t count, void **self) {
    tremolo *t = calloc(1, sizeof *t);
    if (!t) return MK_NO_MEMORY;
    *self = t;
    host->log(MK_LOG_DEBUG, "tremolo: made");
    return update(t, values, count);
}

// Called once before the first block; the output's format is preset to the input's.
static int32_t configure(void *self, const mk_audio_format *input, mk_audio_format *output) {
    tremolo *t = self;
    (void)output;
    t->sample_rate = input->sample_rate;
    t->channels = input->channel_count;
    return MK_OK;
}

// Gets a block of samples, or NULL at the end, and emits what is ready.
static int32_t process(void *self, const mk_audio *input, mk_emit emit, void *sink) {
    tremolo *t = self;
    if (!input) {
        t->phase = 0; // Nothing is held back, and what follows begins anew.
        return MK_OK;
    }
    for (int i = 0; i < input->sample_count; i++) {
        double swell = 0.5 - 0.5 * cos(2 * 3.14159265358979323846 * t->phase);
        float gain = (float)(1 - t->depth * swell);
        for (int channel = 0; channel < t->channels; channel++) {
            float *sample = (float *)input->planes[channel] + i;
            // What is no number, or far beyond sound, must not reach the loudspeaker.
            *sample = fabsf(*sample) < 1e6f ? *sample * gain : 0;
        }
        t->phase += t->rate / t->sample_rate;
        if (t->phase >= 1) t->phase -= 1;
    }
    return emit(sink, input);
}

static void flush(void *self) { ((tremolo *)self)->phase = 0; }
static void destroy(void *self) { free(self); }

static const char *const formats[] = {"fltp", NULL}; // Floats, a plane a channel.

static const mk_filter filter = {
    .struct_size = sizeof(mk_filter),
    .flags = MK_FILTER_IN_PLACE,
    .name = "tremolo-c",
    .summary = "Lets the loudness swell (an example in C).",
    .options = options,
    .option_count = 2,
    .sample_formats = formats,
    .create = create,
    .configure = configure,
    .process = process,
    .update = update,
    .flush = flush,
    .destroy = destroy,
};
static const mk_filter *const filters[] = {&filter};

static const mk_plugin plugin = {
    .struct_size = sizeof(mk_plugin),
    .api_version = MK_API_VERSION,
    .name = "tremolo-c",
    .version = "1.0",
    .license = "0BSD",
    .summary = "An example filter in plain C.",
    .filters = filters,
    .filter_count = 1,
};

MK_EXPORT const mk_plugin *mediakit_plugin(const mk_host *host) {
    (void)host;
    return &plugin;
}
