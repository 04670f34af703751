// A small host in C: loads the plugin, decodes through its tables, and compares.
//
//   check PLUGIN frames FILE [FRAMEMD5]   MD5 of every picture; compared with those of FRAMEMD5
//   check PLUGIN pipe FILE FRAMEMD5       the same from bytes that can't be sought in
//   check PLUGIN seek FILE                every time of FILE is sought and compared
//   check PLUGIN rounds FILE COUNT        load, play, unload
//   check PLUGIN mutate FILE COUNT SEED   damaged copies: no crash, no hang; errors are fine
//
// It is linked to the system's libavcodec, as a real host is: both must live in one process.
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

static void hex(const uint8_t md5[16], char text[33]) {
    for (int i = 0; i < 16; i++) snprintf(text + 2 * i, 3, "%02x", md5[i]);
}

static void compare(const pictures *all, const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) die(path);
    char line[512], text[33];
    size_t index = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#') continue;
        line[strcspn(line, "\r\n")] = '\0';
        const char *wanted = strlen(line) > 32 ? line + strlen(line) - 32 : "";
        if (index < all->count) hex(all->list[index].md5, text);
        if (index >= all->count || strcmp(text, wanted)) {
            fprintf(stderr, "picture %zu of %zu differs from %s\n", index, all->count, path);
            exit(1);
        }
        index++;
    }
    fclose(file);
    if (index != all->count) {
        fprintf(stderr, "%zu pictures, %zu wanted\n", all->count, index);
        exit(1);
    }
    for (size_t i = 1; i < all->count; i++) {
        if (all->list[i].pts != MK_NO_TIME && all->list[i].pts <= all->list[i - 1].pts) {
            fprintf(stderr, "picture %zu: pts %lld behind %lld\n", i,
                    (long long)all->list[i].pts, (long long)all->list[i - 1].pts);
            exit(1);
        }
    }
}

// Seeks every picture's time and times between; the first picture at or behind must be the same.
static int seek_all(const mk_plugin *plugin, const uint8_t *data, size_t size) {
    session s;
    if (!open_session(&s, plugin, data, size, true, 2)) die("open");
    pictures all = play(&s);
    const mk_stream *stream = s.media->streams[s.video];
    int errors = 0, wrong = 0;
    long decoded = 0;
    for (size_t step = 0; step < all.count; step++) {
        size_t i = (step * 37) % all.count;
        int64_t time = (int64_t)((double)all.list[i].pts * stream->tick_num * 1e9 /
                                 stream->tick_den);
        if (s.demuxer->seek(s.demux, time) != MK_OK) die("seek");
        s.decoder->flush(s.decode);
        mk_frame frame;
        int result;
        bool is_first = true, is_late = false;
        while ((result = next_picture(&s, &frame, &errors)) == MK_OK) {
            decoded++;
            if (is_first) is_late = frame.pts > all.list[i].pts;
            is_first = false;
            if (frame.pts >= all.list[i].pts) break;
            frame.release(frame.owner);
        }
        uint8_t md5[16] = {0};
        if (result == MK_OK) {
            digest(&frame, md5);
            if (frame.pts != all.list[i].pts || is_late ||
                memcmp(md5, all.list[i].md5, 16)) {
                wrong++;
                fprintf(stderr, "seek to picture %zu (pts %lld): got pts %lld\n", i,
                        (long long)all.list[i].pts, (long long)frame.pts);
            }
            frame.release(frame.owner);
        } else {
            wrong++;
            fprintf(stderr, "seek to picture %zu: nothing came\n", i);
        }
    }
    printf("%zu seeks, %.1f pictures decoded for each, %d errors, %d wrong\n", all.count,
           (double)decoded / (double)all.count, errors, wrong);
    free(all.list);
    close_session(&s);
    return wrong > 0;
}

static uint64_t state;
static uint32_t random32(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static int mutate(
    const mk_plugin *plugin, const uint8_t *data, size_t size, int count, unsigned seed) {
    long shown = 0, refused = 0, errors = 0;
    int64_t slowest = 0;
    int first = getenv("CHECK_FIRST") ? atoi(getenv("CHECK_FIRST")) : 0;
    for (int round = first; round < count; round++) {
        state = (uint64_t)seed << 32 | (unsigned)round;
        size_t length = size;
        uint8_t *copy = malloc(size);
        memcpy(copy, data, size);
        if (round % 4 == 0) length = size * (random32() % 1000) / 1000;
        uint32_t flips = round % 4 == 0 ? 0 : 1 + random32() % (round % 4 == 1 ? 3 : 64);
        for (uint32_t i = 0; i < flips && length > 0; i++) {
            // Half of them at the front, where the headers are.
            size_t range = random32() % 2 && length > 512 ? 512 : length;
            copy[random32() % range] ^= (uint8_t)(1u << random32() % 8);
        }
        if (round % 8 == 7 && length > 64) {
            size_t at = random32() % (length - 32);
            for (int i = 0; i < 32; i++) copy[at + (size_t)i] = (uint8_t)random32();
        }
        session s;
        int64_t start = now();
        if (open_session(&s, plugin, copy, length, round % 5 != 4, 1 + round % 2)) {
            s.deadline = start + 60000;
            mk_frame frame;
            int failed = 0;
            if (round % 3 == 0 && s.demuxer->seek && s.media->is_seekable) {
                s.demuxer->seek(s.demux, (int64_t)(random32() % 4000) * 1000000);
            }
            while (next_picture(&s, &frame, &failed) == MK_OK) {
                uint8_t md5[16];
                digest(&frame, md5);
                frame.release(frame.owner);
                shown++;
            }
            errors += failed;
            close_session(&s);
        } else {
            refused++;
        }
        if (now() - start > slowest) slowest = now() - start;
        if (now() - start > 5000) {
            printf("copy %d of seed %u took %lld ms\n", round, seed, (long long)(now() - start));
        }
        free(copy);
    }
    printf("%d damaged copies: %ld refused, %ld pictures, %ld errors, slowest %lld ms\n", count,
           refused, shown, errors, (long long)slowest);
    return 0;
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

static long resident(void) {
    long pages = 0, all = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &all, &pages) != 2) pages = 0;
    if (file) fclose(file);
    return pages * 4;
}

int main(int argc, char **argv) {
    if (argc < 4) die("arguments");
    // The host's own FFmpeg is in the process, too.
    if (avcodec_version() == 0) return 1;
    if (getenv("CHECK_LOG")) shown_level = atoi(getenv("CHECK_LOG"));
    void *library;
    size_t size;
    uint8_t *data = load(argv[3], &size);
    int status = 0;
    if (!strcmp(argv[2], "rounds")) {
        long first = 0;
        for (int i = 0; i < atoi(argv[4]); i++) {
            const mk_plugin *plugin = load_plugin(argv[1], &library);
            session s;
            if (!open_session(&s, plugin, data, size, true, 2)) die("open");
            pictures all = play(&s);
            free(all.list);
            close_session(&s);
            unload_plugin(plugin, library);
            if (i == 9) first = resident();
        }
        bool is_gone = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == NULL;
        printf("%s rounds, resident %ld kB after 10, %ld kB after all, library %s\n", argv[4],
               first, resident(), is_gone ? "gone" : "still there");
        free(data);
        return !is_gone;
    }
    const mk_plugin *plugin = load_plugin(argv[1], &library);
    if (!strcmp(argv[2], "frames") || !strcmp(argv[2], "pipe")) {
        session s;
        int threads = getenv("CHECK_THREADS") ? atoi(getenv("CHECK_THREADS")) : 2;
        if (!open_session(&s, plugin, data, size, strcmp(argv[2], "pipe") != 0, threads)) {
            die("open");
        }
        const mk_parameters *p = s.media->streams[s.video]->parameters;
        int64_t start = now();
        pictures all = play(&s);
        printf("%s %dx%d %s, %zu streams, %.3f s, %zu pictures from %lld, %d errors, %lld ms\n",
               s.media->container, p->width, p->height, p->pixel_format ? p->pixel_format : "?",
               s.media->stream_count, (double)s.media->duration / 1e9, all.count,
               (long long)(all.count ? all.list[0].pts : -1), all.errors,
               (long long)(now() - start));
        if (argc > 4) compare(&all, argv[4]);
        free(all.list);
        close_session(&s);
    } else if (!strcmp(argv[2], "seek")) {
        status = seek_all(plugin, data, size);
    } else if (!strcmp(argv[2], "mutate")) {
        status = mutate(plugin, data, size, atoi(argv[4]), (unsigned)atoi(argv[5]));
    }
    free(data);
    unload_plugin(plugin, library);
    return status;
}
