// Packets of an open container, and seeks that never land behind their target.
#include "container.h"

#include <libavcodec/avcodec.h>

#include <stdlib.h>
#include <string.h>

void vvc_clear_queue(container *c) {
    while (c->queue_next < c->queue_count) av_packet_free(&c->queue[c->queue_next++]);
    c->queue_next = c->queue_count = 0;
}

int32_t vvc_outcome(container *c, const char *action, int av_result) {
    if (av_result < 0 && c->io.failure != MK_OK) return c->io.failure;
    return vvc_result(c->host, action, av_result);
}

int vvc_demux(container *c) {
    av_packet_unref(c->packet);
    for (;;) {
        int result = av_read_frame(c->context, c->packet);
        if (result == AVERROR(EAGAIN)) continue;
        if (result < 0 || (size_t)c->packet->stream_index < c->media.stream_count) return result;
        av_packet_unref(c->packet);
    }
}

// For VVC by its own units: FFmpeg's flag is missing for
// packets that its parser has not seen.
bool vvc_is_keyframe(const container *c, const AVPacket *packet) {
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
    vvc_clear_queue(c);
    for (;;) {
        int result = vvc_demux(c);
        if (result < 0) return result == AVERROR_EOF ? 0 : result;
        const AVPacket *packet = c->packet;
        bool is_video = packet->stream_index == c->video;
        bool is_key = is_video && packet->pts != AV_NOPTS_VALUE && packet->pos >= position &&
                      vvc_is_keyframe(c, packet);
        if (is_key) *landing = landing_at(packet);
        if (is_video && !is_key) continue;
        if (!enqueue(c)) return AVERROR(ENOMEM);
        if (is_key) return 0;
    }
}

// From the first keyframe on, looks for the last one at or before the target.
static int find_last(container *c, int64_t target, landing *landing) {
    for (;;) {
        int result = vvc_demux(c);
        if (result < 0) return result == AVERROR_EOF ? 0 : result;
        const AVPacket *packet = c->packet;
        bool is_video = packet->stream_index == c->video;
        int64_t time = packet->dts != AV_NOPTS_VALUE ? packet->dts : packet->pts;
        if (is_video && packet->pts != AV_NOPTS_VALUE && packet->pts <= target &&
            packet->pos >= 0 && vvc_is_keyframe(c, packet)) {
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

int32_t vvc_seek(void *self, int64_t time) {
    container *c = self;
    int result;
    vvc_clear_queue(c);
    vvc_forget_joints(c);
    if (c->video >= 0) {
        AVRational base = c->context->streams[c->video]->time_base;
        bool is_ts = !strcmp(c->context->iformat->name, "mpegts");
        result = seek_video(c, av_rescale_q(time, (AVRational){1, 1000000000}, base), is_ts);
        c->context->flags &= ~AVFMT_FLAG_NOPARSE;
    } else {
        int64_t target = time / 1000;
        result = avformat_seek_file(c->context, -1, INT64_MIN, target, target, 0);
    }
    return result < 0 ? vvc_outcome(c, "seek", result) : MK_OK;
}
