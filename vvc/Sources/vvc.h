// What the files of the plugin share.
#ifndef MEDIAKIT_VVC_H
#define MEDIAKIT_VVC_H

#include <mediakit_plugin.h>

#include <stdbool.h>

struct AVFormatContext;

extern const mk_decoder vvc_decoder;
extern const mk_demuxer vvc_raw_demuxer;
extern const mk_demuxer vvc_mp4_demuxer;
extern const mk_demuxer vvc_ts_demuxer;

// scores.c: whether a medium holds VVC; none of them needs FFmpeg.
int32_t vvc_score_raw(const mk_probe *probe);
int32_t vvc_score_mp4(const mk_probe *probe);
int32_t vvc_score_ts(const mk_probe *probe);

// bridge.c: between this plugin's FFmpeg and the host.

// The result for one of FFmpeg's numbers; failures also tell the host why, after "action: ".
int32_t vvc_result(const mk_host *host, const char *action, int av_result);
// Sends FFmpeg's log to the host where the plugin has an FFmpeg of its own.
void vvc_bridge_log(const mk_host *host);
void vvc_unbridge_log(void);

// An AVIOContext over the host's bytes, which keeps the host's last failure.
typedef struct vvc_io {
    const mk_io *source;
    struct AVIOContext *context;
    int32_t failure; // MK_OK, MK_IO, MK_CANCELLED
    int64_t position;
} vvc_io;

bool vvc_io_open(vvc_io *io, const mk_io *source);
void vvc_io_close(vvc_io *io);

// Reads exactly `size` bytes at `offset`, fewer only at the end: how many, or a negative result.
int64_t vvc_read_at(const mk_io *io, int64_t offset, uint8_t *buffer, size_t size);

#endif
