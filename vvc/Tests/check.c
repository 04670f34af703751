// A small host in C: loads the plugin, decodes through its tables, and compares.
//
//   check PLUGIN frames FILE [FRAMEMD5]   MD5 of every picture; compared with those of FRAMEMD5
//   check PLUGIN pipe FILE FRAMEMD5       the same from bytes that can't be sought in
//   check PLUGIN seek FILE                every time of FILE is sought and compared
//   check PLUGIN speed FILE THREADS       decodes only; pictures a second of CPU and of wall time
//   check PLUGIN rounds FILE COUNT        load, play, unload
//   check PLUGIN mutate FILE COUNT SEED   damaged copies: no crash, no hang; errors are fine
//
// It is linked to the system's libavcodec, as a real host is: both must live in one process.
#include "host.h"

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
    } else if (!strcmp(argv[2], "speed")) {
        session s;
        if (!open_session(&s, plugin, data, size, true, atoi(argv[4]))) die("open");
        int64_t start = now();
        clock_t used = clock();
        mk_frame frame;
        int count = 0, errors = 0;
        for (; next_picture(&s, &frame, &errors) == MK_OK; count++) frame.release(frame.owner);
        double cpu = (double)(clock() - used) / CLOCKS_PER_SEC;
        double wall = (double)(now() - start) / 1000;
        printf("%d pictures, %d errors, %.1f a second of CPU, %.1f a second\n", count, errors,
               count / cpu, count / wall);
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
