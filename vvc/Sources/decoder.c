// VVC packets into pictures, by FFmpeg's decoder.
#include "headers.h"
#include "vvc.h"

#include <libavcodec/avcodec.h>
#include <libavutil/pixdesc.h>

#include <stdlib.h>
#include <string.h>

typedef struct decoder {
    const mk_host *host;
    AVCodecContext *context;
    AVPacket *packet;
    int length_size; // Of the lengths before NAL units; 0: start codes.
    bool has_started;
    // Leading pictures behind a first CRA refer to pictures that are not there (RASL).
    bool drops_rasl;
} decoder;

static const mk_option threads = {
    .struct_size = sizeof threads,
    .kind = MK_INT,
    .name = "threads",
    .summary = "Threads to decode with; 0 for as many as the player gives.",
    .minimum = 0,
    .maximum = 64,
};
static const mk_option *const options[] = {&threads};

static bool has_mp4_tag(const mk_parameters *parameters) {
    char tag[4];
    for (int i = 0; i < 4; i++) tag[i] = (char)(parameters->tag >> (8 * i) & 0xFF);
    return !memcmp(tag, "vvc1", 4) || !memcmp(tag, "vvi1", 4);
}

static int32_t supports(const mk_parameters *parameters) {
    if (parameters->kind != MK_VIDEO) return 0;
    return (parameters->codec && !strcmp(parameters->codec, "vvc")) || has_mp4_tag(parameters);
}

static void destroy(void *self) {
    decoder *d = self;
    if (!d) return;
    avcodec_free_context(&d->context);
    av_packet_free(&d->packet);
    free(d);
}

static int32_t create(const mk_host *host, const mk_decoder_request *request, void **self) {
    const mk_parameters *parameters = request->stream->parameters;
    if (has_mp4_tag(parameters) && parameters->extradata_size == 0) {
        host->set_error(
            "its record 'vvcC' is missing, without which nothing tells how to read it (where it comes "
            "through a pipe, perhaps too late to be seen: save it to a file first)");
        return MK_INVALID_DATA;
    }
    const AVCodec *codec = avcodec_find_decoder(AV_CODEC_ID_VVC);
    decoder *d = calloc(1, sizeof *d);
    if (!d) return MK_NO_MEMORY;
    d->host = host;
    d->packet = av_packet_alloc();
    d->context = codec ? avcodec_alloc_context3(codec) : NULL;
    if (!codec) host->set_error("this libavcodec has no VVC decoder");
    if (!d->packet || !d->context) {
        destroy(d);
        return codec ? MK_NO_MEMORY : MK_UNSUPPORTED;
    }
    AVCodecContext *context = d->context;
    context->thread_count = request->threads;
    for (size_t i = 0; i < request->value_count; i++) {
        const mk_value *value = &request->values[i];
        if (!strcmp(value->name, threads.name) && value->integer > 0) {
            context->thread_count = (int)value->integer;
        }
    }
    context->pkt_timebase = (AVRational){request->stream->tick_num, request->stream->tick_den};
    // Crops to the pixel instead of to what suits vector instructions.
    context->flags |= AV_CODEC_FLAG_UNALIGNED;
    context->width = parameters->width;
    context->height = parameters->height;
    if (parameters->extradata_size > 0 && parameters->extradata_size < INT32_MAX / 2) {
        context->extradata =
            av_mallocz(parameters->extradata_size + AV_INPUT_BUFFER_PADDING_SIZE);
        if (!context->extradata) {
            destroy(d);
            return MK_NO_MEMORY;
        }
        memcpy(context->extradata, parameters->extradata, parameters->extradata_size);
        context->extradata_size = (int)parameters->extradata_size;
    }
    d->length_size = vvc_length_size(parameters->extradata, parameters->extradata_size);
    int result = avcodec_open2(context, codec, NULL);
    if (result < 0) {
        int32_t failure = vvc_result(host, "open the decoder", result);
        destroy(d);
        return failure == MK_AGAIN || failure == MK_END ? MK_FAILED : failure;
    }
    *self = d;
    return MK_OK;
}

// Whether a packet holds a picture that can't be decoded where decoding began.
static bool is_undecodable(decoder *d, const mk_packet *packet) {
    vvc_nal nal;
    size_t position = 0;
    int type = -1;
    while (type < 0 &&
           vvc_next_nal(packet->data, packet->size, d->length_size, &position, &nal)) {
        if (vvc_nal_is_valid(&nal) && nal.layer == 0 && nal.type <= NAL_LAST_VCL) type = nal.type;
    }
    if (type < 0) return false;
    if (!d->has_started || type == NAL_IDR_N_LP || type == NAL_IDR_W_RADL) {
        d->drops_rasl = type == NAL_CRA || type == NAL_GDR;
    } else if (type == NAL_CRA) {
        d->drops_rasl = false;
    }
    d->has_started = true;
    return type == NAL_RASL && d->drops_rasl;
}

static int32_t send(void *self, const mk_packet *packet) {
    decoder *d = self;
    if (!packet) {
        int result = avcodec_send_packet(d->context, NULL);
        return result == AVERROR_EOF ? MK_OK : vvc_result(d->host, "drain", result);
    }
    if (packet->size == 0 || packet->size > INT32_MAX / 2 || is_undecodable(d, packet)) {
        return MK_OK;
    }
    // Without a buffer of its own: FFmpeg copies what it keeps.
    d->packet->data = (uint8_t *)packet->data;
    d->packet->size = (int)packet->size;
    d->packet->pts = packet->pts == MK_NO_TIME ? AV_NOPTS_VALUE : packet->pts;
    d->packet->dts = packet->dts == MK_NO_TIME ? AV_NOPTS_VALUE : packet->dts;
    d->packet->duration = packet->duration;
    d->packet->flags = packet->flags & MK_PACKET_KEY ? AV_PKT_FLAG_KEY : 0;
    int result = avcodec_send_packet(d->context, d->packet);
    d->packet->data = NULL;
    d->packet->size = 0;
    // AGAIN and END can't be here by the contract, but FFmpeg must not decide that.
    if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) result = AVERROR_EXTERNAL;
    return vvc_result(d->host, "decode a packet", result);
}

static void release(void *owner) {
    AVFrame *frame = owner;
    av_frame_free(&frame);
}

static int32_t receive(void *self, mk_frame *out) {
    decoder *d = self;
    AVFrame *frame = av_frame_alloc();
    if (!frame) return MK_NO_MEMORY;
    int result = avcodec_receive_frame(d->context, frame);
    if (result < 0) {
        av_frame_free(&frame);
        return vvc_result(d->host, "decode a picture", result);
    }
    int64_t pts = frame->best_effort_timestamp;
    out->kind = MK_VIDEO;
    out->flags = (frame->flags & AV_FRAME_FLAG_KEY ? MK_FRAME_KEY : 0) |
                 (frame->flags & AV_FRAME_FLAG_CORRUPT ? MK_FRAME_DAMAGED : 0) |
                 (frame->flags & AV_FRAME_FLAG_INTERLACED ? MK_FRAME_INTERLACED : 0) |
                 (frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST ? MK_FRAME_TOP_FIRST : 0);
    out->pts = pts == AV_NOPTS_VALUE ? MK_NO_TIME : pts;
    out->duration = frame->duration;
    out->owner = frame;
    out->release = release;
    for (int i = 0; i < 4; i++) {
        out->planes[i] = frame->data[i];
        out->strides[i] = frame->linesize[i];
    }
    out->width = frame->width;
    out->height = frame->height;
    out->pixel_format = av_get_pix_fmt_name((enum AVPixelFormat)frame->format);
    out->aspect_num = frame->sample_aspect_ratio.num;
    out->aspect_den = frame->sample_aspect_ratio.den;
    out->primaries = (uint8_t)frame->color_primaries;
    out->transfer = (uint8_t)frame->color_trc;
    out->matrix = (uint8_t)frame->colorspace;
    out->full_range = frame->color_range == AVCOL_RANGE_JPEG;
    out->chroma_location = (uint8_t)frame->chroma_location;
    return MK_OK;
}

static void flush(void *self) {
    decoder *d = self;
    avcodec_flush_buffers(d->context);
    d->has_started = false;
}

const mk_decoder vvc_decoder = {
    .struct_size = sizeof vvc_decoder,
    .rank = 10,
    .name = "vvc",
    .summary = "Decodes VVC (H.266), 8 and 10 bit.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .supports = supports,
    .create = create,
    .send = send,
    .receive = receive,
    .flush = flush,
    .destroy = destroy,
};
