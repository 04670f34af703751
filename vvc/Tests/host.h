// A host in C for one medium: services, bytes from memory, a demuxer and a decoder.
#ifndef MEDIAKIT_VVC_TESTS_HOST_H
#define MEDIAKIT_VVC_TESTS_HOST_H

#include <mediakit_plugin.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <libavcodec/avcodec.h>
#include <libavutil/imgutils.h>
#include <libavutil/md5.h>
#include <libavutil/pixdesc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int shown_level = MK_LOG_ERROR;
static char last_error[512];

static void host_log(int32_t level, const char *message) {
    if (level <= shown_level) fprintf(stderr, "log %d: %s\n", level, message);
}
static int32_t host_log_shows(int32_t level) { return level <= shown_level; }
static void host_set_error(const char *message) {
    snprintf(last_error, sizeof last_error, "%s", message);
}

static const mk_host host = {
    sizeof host, MK_API_VERSION, "check", host_log, host_log_shows, host_set_error};

typedef struct bytes {
    const uint8_t *data;
    size_t size, position;
} bytes;

static int64_t io_read(void *context, void *buffer, size_t size) {
    bytes *b = context;
    size_t left = b->position < b->size ? b->size - b->position : 0;
    if (size > left) size = left;
    memcpy(buffer, b->data + b->position, size);
    b->position += size;
    return (int64_t)size;
}

static int32_t io_seek(void *context, int64_t offset) {
    if (offset < 0) return MK_IO;
    ((bytes *)context)->position = (size_t)offset;
    return MK_OK;
}

typedef struct picture {
    int64_t pts;
    uint8_t md5[16];
} picture;

typedef struct pictures {
    picture *list;
    size_t count;
    int errors;
} pictures;

static void die(const char *what) {
    fprintf(stderr, "%s: %s\n", what, last_error);
    exit(1);
}

static void digest(const mk_frame *frame, uint8_t md5[16]) {
    enum AVPixelFormat format = av_get_pix_fmt(frame->pixel_format);
    uint8_t *planes[4];
    int strides[4];
    for (int i = 0; i < 4; i++) {
        planes[i] = frame->planes[i];
        strides[i] = (int)frame->strides[i];
    }
    int size = av_image_get_buffer_size(format, frame->width, frame->height, 1);
    uint8_t *copy = malloc((size_t)size);
    av_image_copy_to_buffer(
        copy, size, (const uint8_t *const *)planes, strides, format, frame->width,
        frame->height, 1);
    av_md5_sum(md5, copy, size);
    free(copy);
}

typedef struct session {
    const mk_demuxer *demuxer;
    const mk_decoder *decoder;
    bytes source;
    mk_io io;
    void *demux, *decode;
    const mk_media *media;
    uint32_t video;
    int64_t deadline;
} session;

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void close_session(session *s) {
    if (s->decode) s->decoder->destroy(s->decode);
    if (s->demux) s->demuxer->close(s->demux);
    s->decode = s->demux = NULL;
}

static bool open_session(
    session *s, const mk_plugin *plugin, const uint8_t *data, size_t size, bool is_seekable,
    int threads) {
    memset(s, 0, sizeof *s);
    s->source = (bytes){data, size, 0};
    s->io = (mk_io){sizeof s->io, is_seekable, is_seekable ? (int64_t)size : -1, &s->source,
                    io_read, io_seek};
    mk_probe probe = {sizeof probe, 0, data, size < 16384 ? size : 16384, "x",
                      is_seekable ? &s->io : NULL};
    int best = 0;
    for (size_t i = 0; i < plugin->demuxer_count; i++) {
        int score = plugin->demuxers[i]->score(&probe);
        if (score > best) {
            best = score;
            s->demuxer = plugin->demuxers[i];
        }
    }
    snprintf(last_error, sizeof last_error, "no demuxer takes it");
    if (!s->demuxer) return false;
    s->source.position = 0;
    mk_demuxer_request request = {sizeof request, 0, &s->io, "x", NULL, 0};
    if (s->demuxer->open(&host, &request, &s->demux, &s->media) != MK_OK) {
        s->demux = NULL;
        return false;
    }
    for (s->video = 0; s->video < s->media->stream_count; s->video++) {
        if (plugin->decoders[0]->supports(s->media->streams[s->video]->parameters)) break;
    }
    snprintf(last_error, sizeof last_error, "no VVC stream");
    if (s->video == s->media->stream_count) {
        close_session(s);
        return false;
    }
    s->decoder = plugin->decoders[0];
    mk_decoder_request wanted = {sizeof wanted, threads, s->media->streams[s->video], NULL, 0};
    if (s->decoder->create(&host, &wanted, &s->decode) != MK_OK) {
        s->decode = NULL;
        close_session(s);
        return false;
    }
    return true;
}

// The next picture: MK_OK or MK_END.
static int next_picture(session *s, mk_frame *frame, int *errors) {
    bool drained = false;
    for (;;) {
        if (s->deadline && now() > s->deadline) {
            fprintf(stderr, "hang\n");
            abort();
        }
        memset(frame, 0, sizeof *frame);
        frame->struct_size = sizeof *frame;
        frame->pts = MK_NO_TIME;
        int result = s->decoder->receive(s->decode, frame);
        if (result == MK_OK || result == MK_END) return result;
        if (result != MK_AGAIN) {
            ++*errors;
            if (*errors > 100000) abort();
            continue;
        }
        if (drained) abort();
        mk_packet packet = {.struct_size = sizeof packet, .pts = MK_NO_TIME, .dts = MK_NO_TIME};
        do {
            packet.pts = packet.dts = MK_NO_TIME;
            packet.flags = 0;
            result = s->demuxer->read_packet(s->demux, &packet);
        } while (result == MK_OK && packet.stream != s->video);
        if (result != MK_OK) {
            if (result != MK_END) ++*errors;
            drained = true;
            s->decoder->send(s->decode, NULL);
            continue;
        }
        // The contract: zero bytes behind what the host passes in.
        uint8_t *copy = calloc(1, packet.size + 64);
        memcpy(copy, packet.data, packet.size);
        packet.data = copy;
        if (s->decoder->send(s->decode, &packet) != MK_OK) ++*errors;
        free(copy);
    }
}

static pictures play(session *s) {
    pictures all = {0};
    mk_frame frame;
    while (next_picture(s, &frame, &all.errors) == MK_OK) {
        all.list = realloc(all.list, (all.count + 1) * sizeof *all.list);
        all.list[all.count].pts = frame.pts;
        digest(&frame, all.list[all.count++].md5);
        frame.release(frame.owner);
    }
    return all;
}

static uint8_t *load(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) die(path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*size + 1);
    if (fread(data, 1, *size, file) != *size) die(path);
    fclose(file);
    return data;
}

static const mk_plugin *load_plugin(const char *path, void **library) {
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    const mk_plugin *(*entry)(const mk_host *);
    *(void **)&entry = dlsym(*library, "mediakit_plugin");
    const mk_plugin *plugin = entry ? entry(&host) : NULL;
    if (!plugin || plugin->api_version >> 16 != MK_API_MAJOR) die("descriptor");
    if (plugin->init && plugin->init(&host) != MK_OK) die("init");
    return plugin;
}

static void unload_plugin(const mk_plugin *plugin, void *library) {
    if (plugin->shutdown) plugin->shutdown();
    dlclose(library);
}

#endif
