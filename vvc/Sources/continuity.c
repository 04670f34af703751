// Timestamps that begin anew inside a transport stream, joined to those before.
#include "container.h"

#include <stdlib.h>

// In microseconds, as mediakit reads other transport streams, and FFmpeg's command line too.
enum { FAR_APART = 10000000, FAR_BACK = 100000 };

static bool is_dense(const container *c, int index) {
    enum AVMediaType kind = c->context->streams[index]->codecpar->codec_type;
    return kind == AVMEDIA_TYPE_VIDEO || kind == AVMEDIA_TYPE_AUDIO;
}

bool vvc_begin_joining(container *c) {
    if (!(c->context->iformat->flags & AVFMT_TS_DISCONT)) return true;
    c->joints = malloc((c->media.stream_count + 1) * sizeof *c->joints);
    if (!c->joints) return false;
    vvc_forget_joints(c);
    return true;
}

void vvc_forget_joints(container *c) {
    if (!c->joints) return;
    for (size_t i = 0; i < c->media.stream_count; i++) {
        c->joints[i] = (joint){AV_NOPTS_VALUE, AV_NOPTS_VALUE};
    }
    c->shift = 0;
    c->last = AV_NOPTS_VALUE;
}

void vvc_join(container *c) {
    AVPacket *packet = c->packet;
    int index = packet->stream_index;
    if (!c->joints || packet->dts == AV_NOPTS_VALUE) return;
    AVRational base = c->context->streams[index]->time_base;
    joint *joint = &c->joints[index];
    int64_t time = av_rescale_q(packet->dts, base, AV_TIME_BASE_Q) + c->shift;
    int64_t jump = 0;
    if (!is_dense(c, index)) {
        jump = 0;
    } else if (joint->next != AV_NOPTS_VALUE) {
        int64_t delta = time - joint->next;
        if (llabs(delta) > FAR_APART || time + FAR_BACK < joint->latest) jump = delta;
    } else if (c->last != AV_NOPTS_VALUE && llabs(time - c->last) > FAR_APART) {
        jump = time - c->last;
    }
    c->shift -= jump;
    time -= jump;
    if (c->shift) {
        int64_t moved = av_rescale_q(c->shift, AV_TIME_BASE_Q, base);
        packet->dts += moved;
        if (packet->pts != AV_NOPTS_VALUE) packet->pts += moved;
    }
    if (!is_dense(c, index)) return;
    joint->next = time + av_rescale_q(packet->duration, base, AV_TIME_BASE_Q);
    joint->latest = c->last = time;
}
