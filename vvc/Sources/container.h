// An open container, and what reading and seeking in it share.
#ifndef MEDIAKIT_VVC_CONTAINER_H
#define MEDIAKIT_VVC_CONTAINER_H

#include "headers.h"
#include "vvc.h"

#include <libavformat/avformat.h>

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

// Where a stream of a transport stream is, in microseconds.
typedef struct joint {
    int64_t next;   // When its next packet is due.
    int64_t latest; // When its latest one was.
} joint;

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
    joint *joints;        // One a stream; NULL where timestamps do not begin anew.
    int64_t shift, last;  // What is added to timestamps; the latest of all streams.
} container;

// continuity.c

bool vvc_begin_joining(container *c);
// For a seek.
void vvc_forget_joints(container *c);
// Moves the timestamps of `c->packet` to go on where they jump.
void vvc_join(container *c);

// seek.c

void vvc_clear_queue(container *c);
// The next packet of a stream that is known to the host, from FFmpeg, in `c->packet`.
int vvc_demux(container *c);
// Whether decoding can begin at a packet.
bool vvc_is_keyframe(const container *c, const AVPacket *packet);
// The result for one of FFmpeg's numbers, or why the host's bytes gave out.
int32_t vvc_outcome(container *c, const char *action, int av_result);
int32_t vvc_seek(void *self, int64_t time);

#endif
