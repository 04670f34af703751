// VVC in MP4, MOV and MPEG-TS, and the streams beside it, by FFmpeg's demuxers.
#include "headers.h"
#include "vvc.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/pixdesc.h>

#include <stdlib.h>
#include <string.h>

typedef struct stream {
    mk_parameters parameters;
    mk_stream facts;
    mk_metadata *metadata;
    char layout[64];
} stream;

typedef struct chapter {
    mk_chapter facts;
    mk_metadata *metadata;
} chapter;

typedef struct container {
    const mk_host *host;
    vvc_io io;
    AVFormatContext *context;
    AVPacket *packet;     // The packet that is out.
    AVPacket **queue;     // Packets read ahead by a seek, in order.
    size_t queue_count, queue_next, queue_capacity;
    int video;            // The stream that seeks go by; -1 where there is none.
    stream *streams;
    const mk_stream **stream_list;
    chapter *chapters;
    const mk_chapter **chapter_list;
    mk_metadata *metadata;
    mk_media media;
} container;

static void clear_queue(container *c) {
    while (c->queue_next < c->queue_count) av_packet_free(&c->queue[c->queue_next++]);
    c->queue_next = c->queue_count = 0;
}

static void close_container(void *self) {
    container *c = self;
    if (!c) return;
    unsigned streams = c->streams && c->context ? (unsigned)c->media.stream_count : 0;
    for (unsigned i = 0; i < streams; i++) free(c->streams[i].metadata);
    for (size_t i = 0; c->chapters && i < c->media.chapter_count; i++) {
        free(c->chapters[i].metadata);
    }
    clear_queue(c);
    free(c->queue);
    av_packet_free(&c->packet);
    avformat_close_input(&c->context);
    vvc_io_close(&c->io);
    free(c->streams);
    free(c->stream_list);
    free(c->chapters);
    free(c->chapter_list);
    free(c->metadata);
    free(c);
}

static int refuse_open(
    AVFormatContext *context, AVIOContext **io, const char *url, int flags,
    AVDictionary **options) {
    (void)context, (void)url, (void)flags, (void)options;
    *io = NULL;
    return AVERROR(EPERM);
}

// The result for one of FFmpeg's numbers, or why the host's bytes gave out.
static int32_t outcome(container *c, const char *action, int av_result) {
    if (av_result < 0 && c->io.failure != MK_OK) return c->io.failure;
    return vvc_result(c->host, action, av_result);
}

static mk_metadata *copy_metadata(const AVDictionary *dictionary, size_t *count) {
    const AVDictionaryEntry *entry = NULL;
    *count = 0;
    int total = av_dict_count(dictionary);
    mk_metadata *list = total > 0 ? calloc((size_t)total, sizeof *list) : NULL;
    // The texts stay FFmpeg's, which keeps them until the container is closed.
    while (list && (entry = av_dict_iterate(dictionary, entry))) {
        list[(*count)++] = (mk_metadata){entry->key, entry->value};
    }
    return list;
}

static int64_t nanoseconds(int64_t time, AVRational base) {
    if (time == AV_NOPTS_VALUE) return MK_NO_TIME;
    return av_rescale_q(time, base, (AVRational){1, 1000000000});
}

static void describe_stream(container *c, unsigned index) {
    AVStream *from = c->context->streams[index];
    const AVCodecParameters *codec = from->codecpar;
    stream *to = &c->streams[index];
    AVRational rate = av_guess_frame_rate(c->context, from, NULL);
    bool has_rate = codec->codec_type == AVMEDIA_TYPE_VIDEO && rate.num > 0 && rate.den > 0;
    to->parameters = (mk_parameters){
        .struct_size = sizeof to->parameters,
        .kind = codec->codec_type == AVMEDIA_TYPE_VIDEO      ? MK_VIDEO
                : codec->codec_type == AVMEDIA_TYPE_AUDIO    ? MK_AUDIO
                : codec->codec_type == AVMEDIA_TYPE_SUBTITLE ? MK_SUBTITLE
                                                             : MK_DATA,
        .codec = codec->codec_id == AV_CODEC_ID_NONE ? "none" : avcodec_get_name(codec->codec_id),
        .tag = codec->codec_tag,
        .profile = codec->profile,
        .level = codec->level,
        .extradata = codec->extradata,
        .extradata_size = (size_t)codec->extradata_size,
        .bit_rate = codec->bit_rate,
        .width = codec->width,
        .height = codec->height,
        .aspect_num = codec->sample_aspect_ratio.num,
        .aspect_den = codec->sample_aspect_ratio.den,
        .bits_per_sample = codec->bits_per_raw_sample,
        .frame_size = codec->frame_size,
    };
    if (codec->codec_type == AVMEDIA_TYPE_VIDEO) {
        to->parameters.pixel_format = av_get_pix_fmt_name((enum AVPixelFormat)codec->format);
    } else if (codec->codec_type == AVMEDIA_TYPE_AUDIO) {
        av_channel_layout_describe(&codec->ch_layout, to->layout, sizeof to->layout);
        to->parameters.audio = (mk_audio_format){
            .sample_rate = codec->sample_rate,
            .channel_count = codec->ch_layout.nb_channels,
            .sample_format = av_get_sample_fmt_name((enum AVSampleFormat)codec->format),
            .layout = codec->ch_layout.order == AV_CHANNEL_ORDER_UNSPEC ? NULL : to->layout,
        };
    }
    to->facts = (mk_stream){
        .struct_size = sizeof to->facts,
        .flags = (from->disposition & AV_DISPOSITION_DEFAULT ? MK_STREAM_DEFAULT : 0) |
                 (from->disposition & AV_DISPOSITION_FORCED ? MK_STREAM_FORCED : 0) |
                 (from->disposition & AV_DISPOSITION_ATTACHED_PIC ? MK_STREAM_PICTURE : 0),
        .parameters = &to->parameters,
        .tick_num = from->time_base.num,
        .tick_den = from->time_base.den,
        .start = from->start_time == AV_NOPTS_VALUE ? MK_NO_TIME : from->start_time,
        .duration = from->duration == AV_NOPTS_VALUE ? MK_NO_TIME : from->duration,
        .rate_num = has_rate ? rate.num : 0,
        .rate_den = has_rate ? rate.den : 1,
    };
    to->metadata = copy_metadata(from->metadata, &to->facts.metadata_count);
    to->facts.metadata = to->metadata;
    c->stream_list[index] = &to->facts;
}

static bool describe(container *c, const mk_io *io) {
    const AVFormatContext *context = c->context;
    size_t streams = context->nb_streams, chapters = context->nb_chapters;
    c->streams = calloc(streams + 1, sizeof *c->streams);
    c->stream_list = calloc(streams + 1, sizeof *c->stream_list);
    c->chapters = calloc(chapters + 1, sizeof *c->chapters);
    c->chapter_list = calloc(chapters + 1, sizeof *c->chapter_list);
    if (!c->streams || !c->stream_list || !c->chapters || !c->chapter_list) return false;
    for (unsigned i = 0; i < streams; i++) describe_stream(c, i);
    for (unsigned i = 0; i < chapters; i++) {
        const AVChapter *from = context->chapters[i];
        chapter *to = &c->chapters[i];
        to->facts = (mk_chapter){
            .struct_size = sizeof to->facts, .id = from->id,
            .start = nanoseconds(from->start, from->time_base),
            .end = nanoseconds(from->end, from->time_base)};
        to->metadata = copy_metadata(from->metadata, &to->facts.metadata_count);
        to->facts.metadata = to->metadata;
        c->chapter_list[i] = &to->facts;
    }
    c->media = (mk_media){
        .struct_size = sizeof c->media,
        .is_seekable = io->is_seekable,
        .container = context->iformat->name,
        .start = nanoseconds(context->start_time, AV_TIME_BASE_Q),
        .duration = context->duration > 0 ? nanoseconds(context->duration, AV_TIME_BASE_Q)
                                          : MK_NO_TIME,
        .bit_rate = context->bit_rate,
        .streams = c->stream_list,
        .stream_count = streams,
        .chapters = c->chapter_list,
        .chapter_count = chapters,
    };
    c->metadata = copy_metadata(context->metadata, &c->media.metadata_count);
    c->media.metadata = c->metadata;
    return true;
}

static int32_t open_container(
    const char *format, const mk_host *host, const mk_demuxer_request *request, void **self,
    const mk_media **media) {
    container *c = calloc(1, sizeof *c);
    if (!c) return MK_NO_MEMORY;
    c->host = host;
    c->packet = av_packet_alloc();
    c->context = avformat_alloc_context();
    if (!c->packet || !c->context || !vvc_io_open(&c->io, request->io)) {
        close_container(c);
        return MK_NO_MEMORY;
    }
    c->context->pb = c->io.context;
    c->context->flags |= AVFMT_FLAG_CUSTOM_IO;
    // The container may not open other files or addresses.
    c->context->io_open = refuse_open;
    int result = avformat_open_input(
        &c->context, request->url, av_find_input_format(format), NULL);
    if (result >= 0) result = avformat_find_stream_info(c->context, NULL);
    int32_t failure = result < 0 ? outcome(c, "open the container", result) : MK_OK;
    if (failure == MK_OK && c->io.failure != MK_OK) failure = c->io.failure;
    if (failure == MK_OK && c->context->nb_streams == 0) failure = MK_INVALID_DATA;
    if (failure == MK_OK && !describe(c, request->io)) failure = MK_NO_MEMORY;
    if (failure != MK_OK) {
        close_container(c);
        return failure == MK_END || failure == MK_AGAIN ? MK_INVALID_DATA : failure;
    }
    c->video = av_find_best_stream(c->context, AVMEDIA_TYPE_VIDEO, -1, -1, NULL, 0);
    *self = c;
    *media = &c->media;
    return MK_OK;
}

static int32_t open_mp4(
    const mk_host *host, const mk_demuxer_request *request, void **self,
    const mk_media **media) {
    return open_container("mov", host, request, self, media);
}

static int32_t open_ts(
    const mk_host *host, const mk_demuxer_request *request, void **self,
    const mk_media **media) {
    return open_container("mpegts", host, request, self, media);
}

// The next packet of a stream that is known to the host, from FFmpeg, in `c->packet`.
static int demux(container *c) {
    av_packet_unref(c->packet);
    for (;;) {
        int result = av_read_frame(c->context, c->packet);
        if (result == AVERROR(EAGAIN)) continue;
        if (result < 0 || (size_t)c->packet->stream_index < c->media.stream_count) return result;
        av_packet_unref(c->packet);
    }
}

// Whether decoding can begin at a packet. For VVC by its own units: FFmpeg's flag is missing for
// packets that its parser has not seen.
static bool is_keyframe(const container *c, const AVPacket *packet) {
    const AVCodecParameters *codec = c->context->streams[packet->stream_index]->codecpar;
    if (codec->codec_id != AV_CODEC_ID_VVC) return packet->flags & AV_PKT_FLAG_KEY;
    vvc_nal nal;
    size_t position = 0;
    int length_size = vvc_length_size(codec->extradata, (size_t)codec->extradata_size);
    while (vvc_next_nal(packet->data, (size_t)packet->size, length_size, &position, &nal)) {
        if (vvc_nal_is_valid(&nal) && nal.layer == 0 && nal.type <= NAL_LAST_VCL) {
            return nal.type >= NAL_IDR_W_RADL && nal.type <= NAL_GDR;
        }
    }
    return false;
}

static int32_t read_packet(void *self, mk_packet *packet) {
    container *c = self;
    int result = 0;
    if (c->queue_next < c->queue_count) {
        av_packet_unref(c->packet);
        av_packet_move_ref(c->packet, c->queue[c->queue_next]);
        av_packet_free(&c->queue[c->queue_next++]);
    } else {
        result = demux(c);
    }
    if (result < 0) return outcome(c, "read a packet", result);
    const AVPacket *from = c->packet;
    packet->stream = (uint32_t)from->stream_index;
    packet->flags = is_keyframe(c, from) ? MK_PACKET_KEY : 0;
    packet->data = from->data;
    packet->size = (size_t)from->size;
    packet->pts = from->pts == AV_NOPTS_VALUE ? MK_NO_TIME : from->pts;
    packet->dts = from->dts == AV_NOPTS_VALUE ? MK_NO_TIME : from->dts;
    packet->duration = from->duration;
    return MK_OK;
}

static void select_streams(void *self, const uint32_t *streams, size_t count) {
    container *c = self;
    for (unsigned i = 0; i < c->context->nb_streams; i++) {
        c->context->streams[i]->discard = AVDISCARD_ALL;
    }
    for (size_t i = 0; i < count; i++) {
        if (streams[i] < c->context->nb_streams) {
            c->context->streams[streams[i]]->discard = AVDISCARD_DEFAULT;
        }
    }
}

// ---- Seeking ----
//
// FFmpeg seeks by the time of decoding and may land behind the target, or (MPEG-TS) between
// keyframes. So it is asked, what it gives is looked at, and it is asked again further back.

static bool enqueue(container *c) {
    if (c->queue_count == c->queue_capacity) {
        size_t capacity = c->queue_capacity ? c->queue_capacity * 2 : 64;
        AVPacket **grown = realloc(c->queue, capacity * sizeof *grown);
        if (!grown) return false;
        c->queue = grown;
        c->queue_capacity = capacity;
    }
    AVPacket *copy = av_packet_alloc();
    if (!copy) return false;
    av_packet_move_ref(copy, c->packet);
    c->queue[c->queue_count++] = copy;
    return true;
}

typedef struct landing {
    int64_t pts; // Of the first keyframe; AV_NOPTS_VALUE where none comes.
    int64_t dts; // The same where it is unknown.
    int64_t position;
} landing;

static landing landing_at(const AVPacket *packet) {
    int64_t dts = packet->dts == AV_NOPTS_VALUE ? packet->pts : packet->dts;
    return (landing){packet->pts, dts, packet->pos};
}

// Reads up to the first keyframe of the video, keeping what comes with and behind it.
static int find_keyframe(container *c, landing *landing, int64_t position) {
    *landing = (struct landing){AV_NOPTS_VALUE, AV_NOPTS_VALUE, -1};
    clear_queue(c);
    for (;;) {
        int result = demux(c);
        if (result < 0) return result == AVERROR_EOF ? 0 : result;
        const AVPacket *packet = c->packet;
        bool is_video = packet->stream_index == c->video;
        bool is_key = is_video && packet->pts != AV_NOPTS_VALUE && packet->pos >= position &&
                      is_keyframe(c, packet);
        if (is_key) *landing = landing_at(packet);
        if (is_video && !is_key) continue;
        if (!enqueue(c)) return AVERROR(ENOMEM);
        if (is_key) return 0;
    }
}

// From the first keyframe on, looks for the last one at or before the target.
static int find_last(container *c, int64_t target, landing *landing) {
    for (;;) {
        int result = demux(c);
        if (result < 0) return result == AVERROR_EOF ? 0 : result;
        const AVPacket *packet = c->packet;
        bool is_video = packet->stream_index == c->video;
        int64_t time = packet->dts != AV_NOPTS_VALUE ? packet->dts : packet->pts;
        if (is_video && packet->pts != AV_NOPTS_VALUE && packet->pts <= target &&
            packet->pos >= 0 && is_keyframe(c, packet)) {
            *landing = landing_at(packet);
        }
        bool is_past = is_video && time != AV_NOPTS_VALUE && time > target;
        if (is_past) return 0;
    }
}

static int seek_video(container *c, int64_t target, bool is_ts) {
    AVRational base = c->context->streams[c->video]->time_base;
    int64_t at = target, last = AV_NOPTS_VALUE, back = av_rescale_q(1, (AVRational){1, 1}, base);
    landing landing;
    // Without the parser while looking: where parameter sets are missing it swallows pictures and
    // gives their times and places to the next keyframe.
    if (is_ts) c->context->flags |= AVFMT_FLAG_NOPARSE;
    for (int attempt = 0; attempt < 24; attempt++) {
        int result = avformat_seek_file(c->context, c->video, INT64_MIN, at, at, 0);
        // Before the first entry there is nothing to find: the start is meant.
        if (result < 0) {
            result = avformat_seek_file(c->context, c->video, INT64_MIN, at, INT64_MAX, 0);
        }
        if (result < 0) return result;
        result = find_keyframe(c, &landing, INT64_MIN);
        if (result < 0) return result;
        if (landing.pts != AV_NOPTS_VALUE && landing.pts <= target) break;
        // Twice the same keyframe: it is the first.
        if (landing.pts != AV_NOPTS_VALUE && landing.pts == last) break;
        last = landing.pts;
        if (is_ts || landing.pts == AV_NOPTS_VALUE) {
            at -= back;
            back *= 2;
        } else {
            at = FFMIN(at, landing.dts) - 1;
        }
    }
    if (!is_ts || landing.position < 0) return 0;
    struct landing best = landing;
    int result = landing.pts > target ? 0 : find_last(c, target, &best);
    if (result < 0) return result;
    c->context->flags &= ~AVFMT_FLAG_NOPARSE;
    result = av_seek_frame(c->context, -1, best.position, AVSEEK_FLAG_BYTE);
    if (result < 0) return result;
    return find_keyframe(c, &landing, best.position);
}

static int32_t seek(void *self, int64_t time) {
    container *c = self;
    int result;
    clear_queue(c);
    if (c->video >= 0) {
        AVRational base = c->context->streams[c->video]->time_base;
        bool is_ts = !strcmp(c->context->iformat->name, "mpegts");
        result = seek_video(c, av_rescale_q(time, (AVRational){1, 1000000000}, base), is_ts);
        c->context->flags &= ~AVFMT_FLAG_NOPARSE;
    } else {
        int64_t target = time / 1000;
        result = avformat_seek_file(c->context, -1, INT64_MIN, target, target, 0);
    }
    return result < 0 ? outcome(c, "seek", result) : MK_OK;
}

const mk_demuxer vvc_mp4_demuxer = {
    .struct_size = sizeof vvc_mp4_demuxer,
    .rank = 10,
    .name = "vvc-mp4",
    .summary = "Reads MP4 and MOV with VVC video.",
    .score = vvc_score_mp4,
    .open = open_mp4,
    .read_packet = read_packet,
    .seek = seek,
    .select = select_streams,
    .close = close_container,
};

const mk_demuxer vvc_ts_demuxer = {
    .struct_size = sizeof vvc_ts_demuxer,
    .rank = 10,
    .name = "vvc-ts",
    .summary = "Reads MPEG transport streams with VVC video.",
    .score = vvc_score_ts,
    .open = open_ts,
    .read_packet = read_packet,
    .seek = seek,
    .select = select_streams,
    .close = close_container,
};
