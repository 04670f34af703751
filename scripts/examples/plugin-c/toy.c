// A second plugin: a codec of one's own and the container it comes in.
//
//   cc -shared -fPIC -O2 -I ../../../Sources/System/MediaKitPluginABI/include toy.c -o toy.so
//   mediakit plugins --plugin ./toy.so
//   mediakit play --plugin ./toy.so tone.toy
//
// A .toy file: "TOY1", the sample rate (32 bit, least byte first), the number of channels (8 bit);
// then packets: a sample count (16 bit, not 0) and so many 16-bit differences for each channel,
// channels alternating. A sample is the sum of its packet's differences so far, wrapping.
#include <mediakit_plugin.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 9, MAX_CHANNELS = 8 };

static unsigned little(const uint8_t *bytes, int count) {
    unsigned value = 0;
    while (count-- > 0) value = value << 8 | bytes[count];
    return value;
}

// ---- The demuxer: finds packets and gives them their time. ----

typedef struct demuxer {
    const mk_io *io;
    mk_parameters parameters;
    mk_stream stream;
    const mk_stream *streams[1];
    mk_media media;
    int64_t position; // In samples.
    uint8_t *data;
} demuxer;

static int32_t score(const mk_probe *probe) {
    bool is_toy = probe->head_size >= HEADER && !memcmp(probe->head, "TOY1", 4);
    return is_toy && probe->head[8] >= 1 && probe->head[8] <= MAX_CHANNELS ? 100 : 0;
}

// Reads exactly so many bytes: MK_OK, MK_END where there are none, or a failure.
static int32_t read_all(demuxer *d, uint8_t *bytes, size_t size) {
    size_t have = 0;
    while (have < size) {
        int64_t count = d->io->read(d->io->context, bytes + have, size - have);
        if (count < 0) return (int32_t)count;
        if (count == 0) return have == 0 ? MK_END : MK_INVALID_DATA;
        have += (size_t)count;
    }
    return MK_OK;
}

static void close_toy(void *self) {
    demuxer *d = self;
    free(d->data);
    free(d);
}

static int32_t open_toy(
    const mk_host *host, const mk_demuxer_request *request, void **self,
    const mk_media **media) {
    uint8_t header[HEADER];
    demuxer *d = calloc(1, sizeof *d);
    if (d) d->data = malloc(65535 * 2 * MAX_CHANNELS);
    if (!d || !d->data) {
        free(d);
        return MK_NO_MEMORY;
    }
    d->io = request->io;
    int32_t result = read_all(d, header, HEADER);
    if (result == MK_OK && little(header + 4, 4) == 0) {
        host->set_error("the sample rate is zero");
        result = MK_INVALID_DATA;
    }
    if (result != MK_OK) {
        close_toy(d);
        return result == MK_END ? MK_INVALID_DATA : result;
    }
    d->parameters = (mk_parameters){
        .struct_size = sizeof(mk_parameters), .kind = MK_AUDIO, .codec = "toy",
        .profile = -99, .level = -99, .aspect_den = 1,
        .audio = {.sample_rate = (int32_t)little(header + 4, 4), .channel_count = header[8],
                  .sample_format = "s16"}};
    d->stream = (mk_stream){
        .struct_size = sizeof(mk_stream), .flags = MK_STREAM_DEFAULT,
        .parameters = &d->parameters, .tick_num = 1,
        .tick_den = d->parameters.audio.sample_rate, .start = 0, .duration = MK_NO_TIME,
        .rate_den = 1};
    d->streams[0] = &d->stream;
    d->media = (mk_media){
        .struct_size = sizeof(mk_media), .is_seekable = d->io->is_seekable, .container = "toy",
        .start = 0, .duration = MK_NO_TIME, .streams = d->streams, .stream_count = 1};
    *self = d;
    *media = &d->media;
    return MK_OK;
}

static int32_t read_packet(void *self, mk_packet *packet) {
    demuxer *d = self;
    int32_t result = read_all(d, d->data, 2);
    if (result != MK_OK) return result;
    unsigned count = little(d->data, 2);
    size_t size = (size_t)count * 2 * (size_t)d->parameters.audio.channel_count;
    if (count == 0) return MK_INVALID_DATA;
    result = read_all(d, d->data, size);
    if (result != MK_OK) return result == MK_END ? MK_INVALID_DATA : result;
    packet->data = d->data;
    packet->size = size;
    packet->flags = MK_PACKET_KEY;
    packet->pts = packet->dts = d->position;
    packet->duration = count;
    d->position += count;
    return MK_OK;
}

// Walks from the start: good enough for a toy.
static int32_t seek(void *self, int64_t time) {
    demuxer *d = self;
    int64_t rate = d->parameters.audio.sample_rate, offset = HEADER;
    int64_t target = time / 1000000000 * rate + time % 1000000000 * rate / 1000000000;
    for (d->position = 0;;) {
        uint8_t head[2];
        int32_t result = d->io->seek(d->io->context, offset);
        if (result != MK_OK) return result;
        result = read_all(d, head, 2);
        unsigned count = little(head, 2);
        bool is_last = result == MK_END || count == 0 || d->position + count > target;
        if (result != MK_OK && result != MK_END) return result;
        if (is_last) return d->io->seek(d->io->context, offset);
        d->position += count;
        offset += 2 + (int64_t)count * 2 * d->parameters.audio.channel_count;
    }
}

static const mk_demuxer toy_demuxer = {
    .struct_size = sizeof(mk_demuxer), .name = "toy", .summary = "Reads .toy files.",
    .score = score, .open = open_toy, .read_packet = read_packet, .seek = seek,
    .close = close_toy};

// ---- The decoder: adds the differences up. ----

typedef struct decoder {
    int channels, sample_rate;
    int16_t *samples; // The frame that waits to be received.
    int count;
    int64_t pts;
    bool is_draining;
} decoder;

static int32_t supports(const mk_parameters *parameters) {
    return parameters->codec && !strcmp(parameters->codec, "toy");
}

static int32_t create(const mk_host *host, const mk_decoder_request *request, void **self) {
    const mk_audio_format *audio = &request->stream->parameters->audio;
    if (audio->channel_count < 1 || audio->channel_count > MAX_CHANNELS) {
        host->set_error("there are one to eight channels in .toy");
        return MK_UNSUPPORTED;
    }
    decoder *d = calloc(1, sizeof *d);
    if (!d) return MK_NO_MEMORY;
    d->channels = audio->channel_count;
    d->sample_rate = audio->sample_rate;
    *self = d;
    return MK_OK;
}

static void drop(decoder *d) {
    free(d->samples);
    d->samples = NULL;
}

static int32_t send(void *self, const mk_packet *packet) {
    decoder *d = self;
    d->is_draining = !packet;
    if (!packet) return MK_OK;
    size_t step = 2 * (size_t)d->channels;
    if (packet->size == 0 || packet->size % step) return MK_INVALID_DATA;
    drop(d);
    // The host may look a little behind the end of a plane.
    d->samples = malloc(packet->size + 64);
    if (!d->samples) return MK_NO_MEMORY;
    uint16_t sums[MAX_CHANNELS] = {0};
    d->count = (int)(packet->size / step);
    d->pts = packet->pts;
    for (int i = 0; i < d->count * d->channels; i++) {
        uint16_t *sum = &sums[i % d->channels];
        *sum = (uint16_t)(*sum + little(packet->data + 2 * i, 2));
        d->samples[i] = (int16_t)*sum;
    }
    return MK_OK;
}

static int32_t receive(void *self, mk_frame *frame) {
    decoder *d = self;
    if (!d->samples) return d->is_draining ? MK_END : MK_AGAIN;
    frame->kind = MK_AUDIO;
    frame->flags = MK_FRAME_KEY | MK_FRAME_EXCLUSIVE;
    frame->pts = d->pts;
    frame->planes[0] = (uint8_t *)d->samples;
    frame->audio = (mk_audio_format){d->sample_rate, d->channels, "s16", NULL};
    frame->sample_count = d->count;
    // From here on the samples are the host's, until it calls `free` on them.
    frame->owner = d->samples;
    frame->release = free;
    d->samples = NULL;
    return MK_OK;
}

static void flush(void *self) {
    decoder *d = self;
    drop(d);
    d->is_draining = false;
}

static void destroy(void *self) {
    drop(self);
    free(self);
}

static const mk_decoder toy_decoder = {
    .struct_size = sizeof(mk_decoder), .name = "toy", .summary = "Decodes the toy codec.",
    .supports = supports, .create = create, .send = send, .receive = receive, .flush = flush,
    .destroy = destroy};

// ---- The plugin ----

static const mk_decoder *const decoders[] = {&toy_decoder};
static const mk_demuxer *const demuxers[] = {&toy_demuxer};
static const mk_plugin plugin = {
    .struct_size = sizeof(mk_plugin),
    .api_version = MK_API_VERSION,
    .name = "toy",
    .version = "1.0",
    .license = "0BSD",
    .summary = "An example codec and container in plain C.",
    .decoders = decoders,
    .decoder_count = 1,
    .demuxers = demuxers,
    .demuxer_count = 1,
};

MK_EXPORT const mk_plugin *mediakit_plugin(const mk_host *host) {
    (void)host;
    return &plugin;
}
