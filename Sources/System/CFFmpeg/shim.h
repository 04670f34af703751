// FFmpeg's libraries as Swift sees them: its headers, plus macros as constants and functions.
#ifndef MEDIAKIT_CFFMPEG_SHIM_H
#define MEDIAKIT_CFFMPEG_SHIM_H

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavcodec/version.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/audio_fifo.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/display.h>
#include <libavutil/error.h>
#include <libavutil/ffversion.h>
#include <libavutil/frame.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/mathematics.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libavutil/samplefmt.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

static const int mk_averror_eof = AVERROR_EOF;
static const int mk_averror_eagain = AVERROR(EAGAIN);
static const int mk_averror_exit = AVERROR_EXIT;
static const int mk_averror_invaliddata = AVERROR_INVALIDDATA;
static const int64_t mk_av_nopts_value = AV_NOPTS_VALUE;
static const int64_t mk_av_time_base = AV_TIME_BASE;

static inline int mk_averror(int posix_error) { return AVERROR(posix_error); }
static inline int mk_avunerror(int av_error) { return AVUNERROR(av_error); }

// The field moved in FFmpeg 6.0.
static inline int64_t mk_frame_duration(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    return frame->duration;
#else
    return frame->pkt_duration;
#endif
}

#endif
