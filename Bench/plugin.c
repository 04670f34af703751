// The filter of swell.c behind mediakit_plugin.h, for the benchmark of the border between them.
#include "Swell/include/swell.h"

#include <mediakit_plugin.h>
#include <stdlib.h>

typedef struct {
    int32_t rate, channels;
    double phase;
} swell;

static int32_t create(const mk_host *host, const mk_value *values, size_t count, void **self) {
    (void)host, (void)values, (void)count;
    *self = calloc(1, sizeof(swell));
    return *self ? MK_OK : MK_NO_MEMORY;
}

static int32_t configure(void *self, const mk_audio_format *input, mk_audio_format *output) {
    swell *s = self;
    (void)output;
    s->rate = input->sample_rate;
    s->channels = input->channel_count;
    return MK_OK;
}

static int32_t process(void *self, const mk_audio *input, mk_emit emit, void *sink) {
    swell *s = self;
    if (!input) return MK_OK;
    swell_run((float *const *)input->planes, s->channels, input->sample_count, s->rate, &s->phase);
    return emit(sink, input);
}

static void flush(void *self) { ((swell *)self)->phase = 0; }
static void destroy(void *self) { free(self); }

static const char *const formats[] = {"fltp", NULL};
static const mk_filter filter = {
    .struct_size = sizeof(mk_filter), .flags = MK_FILTER_IN_PLACE, .name = "swell",
    .summary = "Lets the loudness swell.", .sample_formats = formats, .create = create,
    .configure = configure, .process = process, .flush = flush, .destroy = destroy};
static const mk_filter *const filters[] = {&filter};
static const mk_plugin plugin = {
    .struct_size = sizeof(mk_plugin), .api_version = MK_API_VERSION, .name = "swell",
    .version = "1.0", .license = "0BSD", .summary = "For a benchmark.", .filters = filters,
    .filter_count = 1};

MK_EXPORT const mk_plugin *mediakit_plugin(const mk_host *host) {
    (void)host;
    return &plugin;
}
