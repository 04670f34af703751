// FFmpeg's libraries as Swift sees them: its headers, plus macros as constants and functions.
#ifndef MEDIAKIT_CFFMPEG_SHIM_H
#define MEDIAKIT_CFFMPEG_SHIM_H

#include <errno.h>
#include <string.h>
#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavcodec/version.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/audio_fifo.h>
#include <libavutil/avstring.h>
#include <libavutil/avutil.h>
#include <libavutil/base64.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/display.h>
#include <libavutil/error.h>
#include <libavutil/ffversion.h>
#include <libavutil/frame.h>
#include <libavutil/hwcontext.h>
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
static const int mk_averror_external = AVERROR_EXTERNAL;
static const int mk_averror_patchwelcome = AVERROR_PATCHWELCOME;
static const int mk_averror_bug = AVERROR_BUG;
static const int mk_averror_demuxer_not_found = AVERROR_DEMUXER_NOT_FOUND;
static const int mk_averror_muxer_not_found = AVERROR_MUXER_NOT_FOUND;
static const int mk_averror_decoder_not_found = AVERROR_DECODER_NOT_FOUND;
static const int mk_averror_encoder_not_found = AVERROR_ENCODER_NOT_FOUND;
static const int mk_averror_filter_not_found = AVERROR_FILTER_NOT_FOUND;
static const int mk_averror_option_not_found = AVERROR_OPTION_NOT_FOUND;
static const int mk_averror_stream_not_found = AVERROR_STREAM_NOT_FOUND;
static const int64_t mk_av_nopts_value = AV_NOPTS_VALUE;
static const int64_t mk_av_time_base = AV_TIME_BASE;

static const char *const mk_lavc_ident = LIBAVCODEC_IDENT;

static const int mk_codec_flag_output_corrupt = AV_CODEC_FLAG_OUTPUT_CORRUPT;
static const int mk_hw_device_method = AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX;

static inline int mk_averror(int posix_error) { return AVERROR(posix_error); }
static inline int mk_avunerror(int av_error) { return AVUNERROR(av_error); }

// Converts all samples of a frame into one that has room for them.
static inline int mk_swr_convert(SwrContext *context, AVFrame *out, const AVFrame *in) {
    return swr_convert(context, out->extended_data, out->nb_samples,
                       (const uint8_t **)in->extended_data, in->nb_samples);
}

// The field moved in FFmpeg 6.0.
static inline int64_t mk_frame_duration(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    return frame->duration;
#else
    return frame->pkt_duration;
#endif
}

static inline void mk_frame_set_duration(AVFrame *frame, int64_t duration) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    frame->duration = duration;
#else
    frame->pkt_duration = duration;
#endif
}

// These became flags in FFmpeg 6.1.
static inline void mk_frame_set_flags(AVFrame *frame, int key, int interlaced, int top_first) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 29, 100)
    if (key) frame->flags |= AV_FRAME_FLAG_KEY;
    if (interlaced) frame->flags |= AV_FRAME_FLAG_INTERLACED;
    if (top_first) frame->flags |= AV_FRAME_FLAG_TOP_FIELD_FIRST;
#else
    frame->key_frame = key;
    frame->interlaced_frame = interlaced;
    frame->top_field_first = top_first;
#endif
}

static inline int mk_frame_is_interlaced(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 29, 100)
    return !!(frame->flags & AV_FRAME_FLAG_INTERLACED);
#else
    return frame->interlaced_frame;
#endif
}

static inline int mk_frame_is_top_first(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 29, 100)
    return !!(frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST);
#else
    return frame->top_field_first;
#endif
}

// Side data of a whole stream moved from AVStream into its codec parameters in FFmpeg 6.1.
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
#define MK_SIDE_DATA(stream) (stream)->codecpar->coded_side_data
#define MK_SIDE_DATA_COUNT(stream) (stream)->codecpar->nb_coded_side_data
#else
#define MK_SIDE_DATA(stream) (stream)->side_data
#define MK_SIDE_DATA_COUNT(stream) (stream)->nb_side_data
#endif

static inline int mk_side_data_count(const AVStream *stream) { return MK_SIDE_DATA_COUNT(stream); }

static inline const AVPacketSideData *mk_side_data(const AVStream *stream, int index) {
    return &MK_SIDE_DATA(stream)[index];
}

static inline int mk_side_data_add(AVStream *stream, uint32_t type, const uint8_t *bytes, size_t size) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
    AVPacketSideData *entry = av_packet_side_data_new(
        &stream->codecpar->coded_side_data, &stream->codecpar->nb_coded_side_data,
        (enum AVPacketSideDataType)type, size, 0);
    uint8_t *copy = entry ? entry->data : NULL;
#else
    uint8_t *copy = av_stream_new_side_data(stream, (enum AVPacketSideDataType)type, size);
#endif
    if (!copy) return AVERROR(ENOMEM);
    memcpy(copy, bytes, size);
    return 0;
}

// What an encoder takes: lists in AVCodec until FFmpeg 7.1. Each gives the count and the first
// entry, NULL where the encoder takes any.
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
#define MK_SUPPORTED(name, Type, config, field, is_end)                                            \
    static inline int name(const AVCodec *codec, const Type **list) {                              \
        const void *found = NULL;                                                                  \
        int count = 0;                                                                             \
        if (avcodec_get_supported_config(NULL, codec, config, 0, &found, &count) < 0) count = 0;   \
        *list = (const Type *)found;                                                               \
        return count;                                                                              \
    }
#else
#define MK_SUPPORTED(name, Type, config, field, is_end)                                            \
    static inline int name(const AVCodec *codec, const Type **list) {                              \
        int count = 0;                                                                             \
        *list = codec->field;                                                                      \
        while (*list && !(is_end((*list)[count]))) count++;                                        \
        return count;                                                                              \
    }
#endif
#define MK_IS_NEGATIVE(x) ((x) < 0)
#define MK_IS_ZERO(x) ((x) == 0)
#define MK_IS_EMPTY(x) ((x).nb_channels == 0)
MK_SUPPORTED(mk_sample_formats, enum AVSampleFormat, AV_CODEC_CONFIG_SAMPLE_FORMAT, sample_fmts, MK_IS_NEGATIVE)
MK_SUPPORTED(mk_pixel_formats, enum AVPixelFormat, AV_CODEC_CONFIG_PIX_FORMAT, pix_fmts, MK_IS_NEGATIVE)
MK_SUPPORTED(mk_sample_rates, int, AV_CODEC_CONFIG_SAMPLE_RATE, supported_samplerates, MK_IS_ZERO)
MK_SUPPORTED(mk_channel_layouts, AVChannelLayout, AV_CODEC_CONFIG_CHANNEL_LAYOUT, ch_layouts, MK_IS_EMPTY)

// The buffer a writer gets became const in FFmpeg 7.0.
static inline AVIOContext *mk_avio_alloc(
    uint8_t *buffer, int size, int is_output, void *opaque,
    int (*read)(void *, uint8_t *, int), int (*write)(void *, const uint8_t *, int),
    int64_t (*seek)(void *, int64_t, int)) {
#if LIBAVFORMAT_VERSION_MAJOR >= 61
    return avio_alloc_context(buffer, size, is_output, opaque, read, write, seek);
#else
    return avio_alloc_context(
        buffer, size, is_output, opaque, read, (int (*)(void *, uint8_t *, int))write, seek);
#endif
}

static inline int mk_refuse_open(
    AVFormatContext *context, AVIOContext **io, const char *url, int flags, AVDictionary **options) {
    (void)url, (void)flags, (void)options;
    if (context->opaque) ++*(int *)context->opaque;
    *io = NULL;
    return AVERROR(EPERM);
}

// Keeps a container from opening other files or addresses by itself; counts how often it tries
// where `attempts` is given.
static inline void mk_forbid_open(AVFormatContext *context, int *attempts) {
    context->opaque = attempts;
    context->io_open = mk_refuse_open;
}

#endif
