/* mediakit_plugin.h: all that a plugin for mediakit needs; it compiles alone as C11 and as C++17.
 *
 * A plugin is a shared library that exports one function, `mediakit_plugin`. It gives a descriptor
 * with tables of functions: decoders, demuxers and audio filters. Nothing here belongs to FFmpeg
 * and nothing has to be linked: what crosses the border is bytes, numbers, timestamps and pointers
 * to planes, so a plugin may bring any libavcodec of its own, or none, in any language that can
 * export a C function. docs/plugins.md builds a first one in ten minutes.
 *
 * CONVENTIONS
 *
 *   Results.   Functions that can fail give `MK_OK` (0) or one of the negative values below.
 *              Positive ones are failures, too: there is no such result.
 *              `MK_AGAIN` and `MK_END` are no failures but answers: "I need input first" and
 *              "nothing more comes". Before a function fails it may say why with
 *              `mk_host.set_error`; the host puts that sentence into its own error.
 *   Ownership. "Borrows" means: valid until the function returns. Text is UTF-8, ends in a zero
 *              byte, and is borrowed unless said otherwise. The descriptor and all it points to
 *              belong to the plugin and never change while the library is loaded.
 *   Threads.   `score` and `supports` may be called by several threads at once. The functions that
 *              take `self` are never called by two threads at once for one `self`, but the thread
 *              may change between calls; different instances run in parallel. `mk_frame.release`
 *              may be called by any thread at any time, even after `destroy`. The functions of
 *              `mk_host` may be called by any thread at any time.
 *   Life.      load, `mediakit_plugin`, `init`, then instances come and go, `shutdown`, unload.
 *              The library is unloaded only after every instance is destroyed and every frame is
 *              released, however early a user asks for it.
 *   Optional.  A function or text marked "optional" may be NULL.
 *   Growth.    A struct whose first member is `struct_size` may get members at its end in later
 *              versions. Who fills the struct in sets it to `sizeof` of the struct; who reads it
 *              takes what lies beyond for zero. Structs without it never change in API 1.
 *   Signals.   A plugin never ends the process, installs signal handlers, changes the locale or the
 *              working directory, and lets no exception of its language leave a function.
 */
#ifndef MEDIAKIT_PLUGIN_H
#define MEDIAKIT_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The API that this header describes. The major number changes when old plugins can no longer
 * work, the minor one when something was added at the end. */
#define MK_API_MAJOR 1u
#define MK_API_MINOR 0u
#define MK_API_VERSION ((MK_API_MAJOR << 16) | MK_API_MINOR)

/* Marks the one exported function; compile the rest with -fvisibility=hidden. */
#if defined(__GNUC__)
#define MK_EXPORT __attribute__((visibility("default")))
#else
#define MK_EXPORT
#endif

/* ---- Results ----------------------------------------------------------------------------- */

enum {
    MK_OK = 0,
    MK_AGAIN = -1,        /* Send more input first. */
    MK_END = -2,          /* The end of the stream, or everything was drained. */
    MK_INVALID_DATA = -3, /* The bytes make no sense; the next ones may. */
    MK_UNSUPPORTED = -4,  /* Well-formed, but beyond what the plugin does. */
    MK_NO_MEMORY = -5,
    MK_BAD_ARGUMENT = -6, /* An option or a call that makes no sense. */
    MK_IO = -7,           /* Reading failed; `mk_io` gave it, the plugin passes it on. */
    MK_CANCELLED = -8,    /* The work is no longer wanted; `mk_io` or `mk_emit` gave it, the plugin
                           * passes it on. From nowhere else: that counts as MK_FAILED. */
    MK_FAILED = -9        /* Anything else. */
};

/* "Not known", for timestamps and times. */
#define MK_NO_TIME INT64_MIN

/* ---- What the host offers ---------------------------------------------------------------- */

enum {
    MK_LOG_ERROR = 1,
    MK_LOG_WARNING = 2,
    MK_LOG_INFO = 3,
    MK_LOG_DEBUG = 4,
    MK_LOG_TRACE = 5
};

/* The host's services. Belongs to the host and lives as long as the plugin is loaded.
 * Thread-safety: safe. */
typedef struct mk_host {
    uint32_t struct_size;
    uint32_t api_version; /* The MK_API_VERSION that the host was built with. */
    const char *program;  /* Name and version of the host, for logs: "mediakit 0.1.0". */
    /* Writes one line to the log, without a line end. Levels outside the list count as the nearest
     * one in it. */
    void (*log)(int32_t level, const char *message);
    /* Whether lines of a level are shown, to save the work of making them: 1 or 0. */
    int32_t (*log_shows)(int32_t level);
    /* Says in a sentence why the function that the calling thread is in is about to fail: lower
     * case, no full stop. Copied, and cut behind 500 bytes. */
    void (*set_error)(const char *message);
} mk_host;

/* ---- Options ----------------------------------------------------------------------------- */

enum {
    MK_BOOL = 0,
    MK_INT = 1,
    MK_DOUBLE = 2,
    MK_CHOICE = 3, /* One of the words in `choices`. */
    MK_TEXT = 4
};

enum {
    MK_OPTION_LIVE = 1 << 0, /* A filter's `update` changes it while sound is playing. */
    MK_OPTION_UNSET = 1 << 1 /* There is no default: when not given, the option is not passed. */
};

/* One option as data. The host checks values against it before the plugin sees them, and prints
 * help, the Lua types and the reference from it. */
typedef struct mk_option {
    uint32_t struct_size;
    int32_t kind;           /* MK_BOOL … MK_TEXT */
    const char *name;       /* Lower case, words joined by `_`; unique within its owner. */
    const char *summary;    /* One sentence for people. */
    const char *unit;       /* "dB", "Hz", "s", …; optional. */
    uint32_t flags;         /* MK_OPTION_… */
    uint32_t reserved;      /* 0 */
    double minimum;         /* MK_INT, MK_DOUBLE: the least and the greatest value allowed, both */
    double maximum;         /* finite; whole, and within ±2^53, for MK_INT. */
    double default_number;  /* The default: MK_BOOL 0 or 1, MK_INT, MK_DOUBLE within the range. */
    const char *default_text;        /* The default of MK_CHOICE and MK_TEXT; NULL counts as "". */
    const char *const *choices;      /* MK_CHOICE: the words, ended by NULL. */
} mk_option;

/* A checked value of an option. Never changes in API 1. */
typedef struct mk_value {
    const char *name;
    int32_t kind;     /* That of the option. */
    int32_t reserved; /* 0 */
    int64_t integer;  /* MK_BOOL (0 or 1), MK_INT */
    double number;    /* MK_BOOL, MK_INT, MK_DOUBLE */
    const char *text; /* MK_CHOICE, MK_TEXT; else NULL. */
} mk_value;

/* ---- Streams and packets ----------------------------------------------------------------- */

enum { MK_VIDEO = 0, MK_AUDIO = 1, MK_SUBTITLE = 2, MK_DATA = 3 };

/* Name and value of metadata. Never changes in API 1. */
typedef struct mk_metadata {
    const char *name;
    const char *value;
} mk_metadata;

/* How sound is laid out. Never changes in API 1. */
typedef struct mk_audio_format {
    int32_t sample_rate;       /* Samples a second of each channel. */
    int32_t channel_count;     /* At least 1. */
    const char *sample_format; /* "s16", "s32", "flt", "dbl", "u8"; with "p" behind ("fltp") each
                                * channel has a plane of its own, else they alternate in one. */
    const char *layout;        /* "mono", "stereo", "5.1", "5.1(side)", "7.1", "4 channels", …;
                                * NULL or "" from a plugin: the usual one of the channel count. */
} mk_audio_format;

/* What a decoder must know of a stream before its first packet. */
typedef struct mk_parameters {
    uint32_t struct_size;
    int32_t kind;      /* MK_VIDEO … */
    const char *codec; /* The codec's usual short name, as FFmpeg has it where it knows the codec:
                        * "vvc", "hevc", "aac", "flac"; any other name joins a demuxer and a decoder
                        * that agree on it. "none" where only the tag is known. */
    uint32_t tag;      /* The container's four-character code, first character lowest; 0: none. */
    int32_t profile;   /* The codec's own number; -99 where unknown. */
    int32_t level;     /* The same. */
    int32_t reserved;  /* 0 */
    const uint8_t *extradata; /* The codec's headers as the container holds them; optional. At */
    size_t extradata_size;    /* least 64 readable zero bytes lie behind, from either side. */
    int64_t bit_rate;         /* Bits a second; 0: unknown. */
    int32_t width, height;    /* Video, as shown; 0: unknown. */
    int32_t aspect_num, aspect_den; /* Video: width over height of a pixel; 0/1: unknown. */
    const char *pixel_format; /* Video: "yuv420p", "yuv420p10le", …; NULL: unknown. */
    mk_audio_format audio;    /* Sound: what is known of it; zeros and NULL for the rest. */
    int32_t bits_per_sample;  /* Sound: bits that carry sound; 0: unknown. */
    int32_t frame_size;       /* Sound: samples of each channel in a packet; 0: unknown. */
} mk_parameters;

enum { MK_STREAM_DEFAULT = 1 << 0, MK_STREAM_FORCED = 1 << 1, MK_STREAM_PICTURE = 1 << 2 };

/* One elementary stream of a container. */
typedef struct mk_stream {
    uint32_t struct_size;
    uint32_t flags; /* MK_STREAM_DEFAULT: the one to play; _PICTURE: a cover, no moving video. */
    const mk_parameters *parameters;
    int32_t tick_num, tick_den; /* What one tick of its timestamps lasts, in seconds; both > 0. */
    int64_t start;              /* Its first timestamp, in ticks; MK_NO_TIME: unknown. */
    int64_t duration;           /* In ticks; MK_NO_TIME: unknown. */
    int32_t rate_num, rate_den; /* Video: frames a second; 0/1: unknown. */
    const mk_metadata *metadata; /* "language" is an ISO 639-2 code; optional. */
    size_t metadata_count;
} mk_stream;

enum { MK_PACKET_KEY = 1 << 0 }; /* Decoding can begin here. */

/* One compressed unit. */
typedef struct mk_packet {
    uint32_t struct_size;
    uint32_t flags;        /* MK_PACKET_… */
    uint32_t stream;       /* The place of its stream in `mk_media.streams`. */
    uint32_t reserved;     /* 0 */
    const uint8_t *data;   /* Borrowed; at least 64 readable zero bytes lie behind what the host */
    size_t size;           /* passes in, none need to behind what a demuxer gives out. */
    int64_t pts, dts;      /* When it is shown and decoded, in ticks; MK_NO_TIME: unknown. */
    int64_t duration;      /* In ticks; 0: unknown. */
} mk_packet;

/* ---- Decoders ---------------------------------------------------------------------------- */

enum {
    MK_FRAME_KEY = 1 << 0,
    MK_FRAME_DAMAGED = 1 << 1,   /* Decoded around missing or broken data. */
    MK_FRAME_EXCLUSIVE = 1 << 2, /* Nobody but the receiver will read or write the planes. */
    MK_FRAME_INTERLACED = 1 << 3,
    MK_FRAME_TOP_FIRST = 1 << 4  /* Of an interlaced frame. */
};

#define MK_MAX_PLANES 8

/* A decoded picture, or a run of sound.
 *
 * `receive` hands it over without a copy: planes, texts and all that it points to stay as they are
 * until the host calls `release(owner)`, once, from any thread. A decoder that still needs the
 * picture as a reference keeps it so by counting its own references behind `owner`; the host never
 * writes to the planes unless MK_FRAME_EXCLUSIVE is set. */
typedef struct mk_frame {
    uint32_t struct_size; /* Set by the host before `receive`. */
    int32_t kind;         /* MK_VIDEO or MK_AUDIO */
    uint32_t flags;       /* MK_FRAME_… */
    uint32_t reserved;    /* 0 */
    int64_t pts;          /* When it is shown, in ticks of the stream; MK_NO_TIME: right behind the
                           * frame before it. What no medium can mean counts as unknown. */
    int64_t duration;     /* In ticks; 0: unknown. Sound lasts as long as its samples. */
    void *owner;          /* What keeps it alive. */
    void (*release)(void *owner);
    /* The planes. Video: in the order of the pixel format, the bytes from one row to the next in
     * `strides` (negative: bottom up, `planes` then is the top row); at least 64 bytes must be
     * readable behind the last row of each. "pal8" has its palette in the second plane: 256 colours
     * of 4 bytes each, 0xAARRGGBB as the machine has it, without a stride. Sound: up to
     * MK_MAX_PLANES planes; more channels than that must alternate in one plane. */
    uint8_t *planes[MK_MAX_PLANES];
    int64_t strides[MK_MAX_PLANES];
    /* Video. The size is that of the picture as shown: a decoder crops by moving `planes`. */
    int32_t width, height;
    const char *pixel_format;       /* "yuv420p", "yuv420p10le", "gray", "rgb24", … */
    int32_t aspect_num, aspect_den; /* Width over height of a pixel; 0/1: unknown. */
    /* Code points of ITU-T H.273; 2 is "unknown" in the first three. */
    uint8_t primaries, transfer, matrix;
    uint8_t full_range;             /* 1: full, 0: narrow or unknown. */
    uint8_t chroma_location;        /* 0: unknown, else H.273's chroma sample location type + 1. */
    uint8_t reserved_bytes[3];
    /* Sound. */
    mk_audio_format audio;
    int32_t sample_count; /* Samples of each channel. */
    int32_t reserved2;    /* 0 */
} mk_frame;

/* What a decoder is made for; all of it borrowed. */
typedef struct mk_decoder_request {
    uint32_t struct_size;
    int32_t threads; /* How many threads it may use, at least 1. */
    const mk_stream *stream;
    const mk_value *values; /* Every option that has a value, defaults filled in. */
    size_t value_count;
} mk_decoder_request;

/* A decoder: packets of one stream in, frames out.
 *
 *   create → ( receive until MK_AGAIN → send )* → send(NULL) → receive until MK_END → destroy
 *
 * After MK_END, `flush` makes it ready for packets again. */
typedef struct mk_decoder {
    uint32_t struct_size;
    int32_t rank;        /* Of the decoders that support a stream the highest rank is taken;
                          * built-in ones have 0. */
    const char *name;    /* Unique among decoders; lower case. */
    const char *summary; /* One sentence for people. */
    const mk_option *const *options; /* Optional; `option_count` of them. */
    size_t option_count;
    /* Whether it decodes streams like this: 1 or 0. Must be quick; may be called before `init`. */
    int32_t (*supports)(const mk_parameters *parameters);
    /* Makes an instance and leaves it in `*self`. Where it fails, the host asks the next decoder
     * that supports the stream, but not after MK_INVALID_DATA: then what the container says of the
     * stream makes no sense to anybody. */
    int32_t (*create)(const mk_host *host, const mk_decoder_request *request, void **self);
    /* Takes a packet, borrowed, or NULL to drain. Called only after `receive` gave MK_AGAIN, or
     * first. MK_INVALID_DATA reports a damaged or undecodable packet; decoding goes on. MK_AGAIN
     * is not allowed here. */
    int32_t (*send)(void *self, const mk_packet *packet);
    /* Fills in the next frame in the order of presentation: MK_OK, MK_AGAIN or MK_END; a failure
     * concerns one frame, and decoding goes on. The host has zeroed the frame but for
     * `struct_size`, with all times unknown. */
    int32_t (*receive)(void *self, mk_frame *frame);
    /* Drops what is buffered: the next packet comes from another place (a seek) and is a keyframe
     * if there is one. */
    void (*flush)(void *self);
    /* Frees the instance. Frames that are out stay valid. */
    void (*destroy)(void *self);
} mk_decoder;

/* ---- Demuxers ---------------------------------------------------------------------------- */

/* The bytes of one medium. Belongs to the host. Threading: the thread that is in a function that
 * was given it. */
typedef struct mk_io {
    uint32_t struct_size;
    int32_t is_seekable; /* 1 or 0 */
    int64_t size;        /* In bytes; -1: unknown. */
    void *context;       /* Passed back to the functions. */
    /* Reads at most `size` bytes at the position: how many, at least 1; 0 at the end; MK_IO,
     * MK_CANCELLED. May block. */
    int64_t (*read)(void *context, void *buffer, size_t size);
    /* Moves the position to `offset` bytes from the start: MK_OK, MK_IO, MK_CANCELLED. At or past
     * the end the next read gives 0. */
    int32_t (*seek)(void *context, int64_t offset);
} mk_io;

/* What a demuxer is shown to find out whether a medium is its own; all of it borrowed. */
typedef struct mk_probe {
    uint32_t struct_size;
    uint32_t reserved;   /* 0 */
    const uint8_t *head; /* The first bytes, up to some kilobytes. */
    size_t head_size;
    const char *url;     /* Where they come from: a name, a hint at best. */
    const mk_io *io;     /* To look further; NULL where the medium can't be sought in. The host
                          * puts the position back. */
} mk_probe;

/* A named part of a medium. */
typedef struct mk_chapter {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    int64_t id;
    int64_t start, end; /* In nanoseconds, like `mk_media.start`. */
    const mk_metadata *metadata;
    size_t metadata_count;
} mk_chapter;

/* An opened medium. Belongs to the demuxer, never changes, and lives until `close`. */
typedef struct mk_media {
    uint32_t struct_size;
    int32_t is_seekable;   /* Whether `seek` works: 1 or 0. */
    const char *container; /* The container's short name. */
    int64_t start;         /* The least timestamp of the medium, in nanoseconds; the host plays it
                            * as 0. MK_NO_TIME counts as 0. */
    int64_t duration;      /* In nanoseconds; MK_NO_TIME: unknown. */
    int64_t bit_rate;      /* Over all, in bits a second; 0: unknown. */
    const mk_stream *const *streams; /* At least one. */
    size_t stream_count;
    const mk_chapter *const *chapters; /* Optional. */
    size_t chapter_count;
    const mk_metadata *metadata; /* Optional. */
    size_t metadata_count;
} mk_media;

/* What a demuxer opens; all but `io` borrowed. */
typedef struct mk_demuxer_request {
    uint32_t struct_size;
    uint32_t reserved;      /* 0 */
    const mk_io *io;        /* Stays valid until `close`; its position is the start. */
    const char *url;
    const mk_value *values; /* As in `mk_decoder_request`. */
    size_t value_count;
} mk_demuxer_request;

/* A demuxer: the bytes of a container in, packets out. */
typedef struct mk_demuxer {
    uint32_t struct_size;
    int32_t rank;        /* Decides between equal scores; built-in ones have 0. */
    const char *name;    /* Unique among demuxers; lower case. */
    const char *summary; /* One sentence for people. */
    const mk_option *const *options;
    size_t option_count;
    /* 0 where the medium is not its own, up to 100 where it certainly is; the highest score opens
     * it. FFmpeg's demuxers are among the competitors and score up to 100. May be called before
     * `init`. */
    int32_t (*score)(const mk_probe *probe);
    /* Opens: reads until the streams are known and leaves an instance in `*self`, and what it found
     * in `*media`. */
    int32_t (*open)(
        const mk_host *host, const mk_demuxer_request *request, void **self,
        const mk_media **media);
    /* Fills in the next packet in the order of the container: MK_OK or MK_END. `data` stays valid
     * until the next call with this `self`. The host has set it up like a frame for `receive`. */
    int32_t (*read_packet)(void *self, mk_packet *packet);
    /* Moves to the last keyframe at or before `time`, in nanoseconds, counted like `mk_media.start`;
     * before all of them, to the first. The next packet comes from there. Optional where the
     * medium can't be sought in. */
    int32_t (*seek)(void *self, int64_t time);
    /* From now on only packets of these streams are wanted: places in `mk_media.streams`. Optional;
     * the host drops what was not asked for. */
    void (*select)(void *self, const uint32_t *streams, size_t count);
    /* Frees the instance and its `mk_media`. */
    void (*close)(void *self);
} mk_demuxer;

/* ---- Filters of sound -------------------------------------------------------------------- */

/* A run of sound; borrowed. */
typedef struct mk_audio {
    uint32_t struct_size;
    int32_t sample_count;  /* Samples of each channel. */
    int64_t pts;           /* When it begins, in samples of its rate; MK_NO_TIME: unknown, and of a
                            * filter's output, right behind what it gave before. */
    void *const *planes;   /* One a channel, or a single one where the channels alternate. */
    size_t plane_count;
} mk_audio;

/* Takes a run of output in the format that `configure` settled. It is borrowed: the same pointers
 * as the input's pass the host's own buffer on, any others are copied. A negative result must be
 * returned by `process` at once: MK_CANCELLED where the output is no longer wanted. */
typedef int32_t (*mk_emit)(void *sink, const mk_audio *output);

enum {
    /* Changes the samples of its input in place: the host sees to it that nobody else has them.
     * Without this flag the input must be left alone. */
    MK_FILTER_IN_PLACE = 1 << 0
};

/* A filter of sound.
 *
 *   create → configure → process(block)* → process(NULL) → configure (another format) or destroy
 *
 * Output keeps in step with input: a filter that delays takes its delay back by `pts`, and after
 * the drain as many samples have come out as went in (changes of the rate aside). Where the blocks
 * are cut must not change the sound. */
typedef struct mk_filter {
    uint32_t struct_size;
    uint32_t flags;      /* MK_FILTER_… */
    const char *name;    /* Unique among filters; lower case. */
    const char *summary; /* One sentence for people. */
    const mk_option *const *options;
    size_t option_count;
    /* What it takes; NULL: anything. The host converts to the first that fits. */
    const char *const *sample_formats; /* Ended by NULL. */
    const int32_t *sample_rates;       /* Ended by 0. */
    const char *const *layouts;        /* Ended by NULL. */
    /* Makes an instance with checked options. */
    int32_t (*create)(
        const mk_host *host, const mk_value *values, size_t value_count, void **self);
    /* Takes the format of the input and settles that of the output, which is preset to the same;
     * where only the channel count is changed, the layout is the usual one of that. A layout that
     * has another number of channels, or that the host does not know, is refused.
     * Called before the first block, and again after a drain when the format changes. */
    int32_t (*configure)(void *self, const mk_audio_format *input, mk_audio_format *output);
    /* Takes a block, borrowed, or NULL to drain, and emits what is ready. */
    int32_t (*process)(void *self, const mk_audio *input, mk_emit emit, void *sink);
    /* Changes options while running: only values that were given, only of MK_OPTION_LIVE options.
     * Optional where no option is live. */
    int32_t (*update)(void *self, const mk_value *values, size_t value_count);
    /* Drops what is buffered, for a seek. */
    void (*flush)(void *self);
    /* How many samples of its input it holds back at most, once configured. Optional: none. */
    int64_t (*latency)(void *self);
    void (*destroy)(void *self);
} mk_filter;

/* ---- The plugin -------------------------------------------------------------------------- */

/* What a shared library holds. The first two members never move, in any version. */
typedef struct mk_plugin {
    uint32_t struct_size;
    uint32_t api_version; /* The least API it needs: MK_API_VERSION unless it makes do with an older
                           * minor one. */
    const char *name;     /* Unique among plugins; lower case. */
    const char *version;  /* "1.0.2" */
    const char *license;  /* SPDX: "MIT", "LGPL-2.1-or-later", … */
    const char *summary;  /* One sentence for people. */
    const mk_decoder *const *decoders; /* Each list is optional. */
    size_t decoder_count;
    const mk_demuxer *const *demuxers;
    size_t demuxer_count;
    const mk_filter *const *filters;
    size_t filter_count;
    /* Called once, before the first instance is made; optional. When it fails the plugin is not
     * used and `shutdown` is not called. */
    int32_t (*init)(const mk_host *host);
    /* Called once before the library is unloaded, if `init` was called; optional. */
    void (*shutdown)(void);
} mk_plugin;

/* The one function that a plugin exports. Gives the descriptor, which must be ready without work:
 * programs that only list their plugins call nothing else. It may look at `host->api_version` and
 * give NULL where it can't work with that host. */
MK_EXPORT const mk_plugin *mediakit_plugin(const mk_host *host);

#ifdef __cplusplus
}
#endif

#endif
