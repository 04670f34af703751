// VVC in MP4, MOV and MPEG-TS, and the streams beside it, by FFmpeg's demuxers.
#include "container.h"

#include <libavcodec/avcodec.h>
#include <libavutil/pixdesc.h>

#include <stdlib.h>
#include <string.h>

static void close_container(void *self) {
    container *c = self;
    if (!c) return;
    unsigned streams = c->streams && c->context ? (unsigned)c->media.stream_count : 0;
    for (unsigned i = 0; i < streams; i++) free(c->streams[i].metadata);
    for (size_t i = 0; c->chapters && i < c->media.chapter_count; i++) {
        free(c->chapters[i].metadata);
    }
    vvc_clear_queue(c);
    free(c->queue);
    av_packet_free(&c->packet);
    avformat_close_input(&c->context);
    vvc_io_close(&c->io);
    free(c->joints);
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

// Whether it has VVC in MP4 without the record that tells how to read it. The decoder refuses that;
// looking for it in the packets would only fail for all streams.
static bool lacks_record(const AVFormatContext *context) {
    for (unsigned i = 0; i < context->nb_streams; i++) {
        const AVCodecParameters *parameters = context->streams[i]->codecpar;
        if ((parameters->codec_tag == MKTAG('v', 'v', 'c', '1') ||
             parameters->codec_tag == MKTAG('v', 'v', 'i', '1')) &&
            parameters->extradata_size == 0) {
            return true;
        }
    }
    return false;
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
    if (result >= 0 && !lacks_record(c->context)) {
        result = avformat_find_stream_info(c->context, NULL);
    }
    int32_t failure = result < 0 ? vvc_outcome(c, "open the container", result) : MK_OK;
    if (failure == MK_OK && c->io.failure != MK_OK) failure = c->io.failure;
    if (failure == MK_OK && c->context->nb_streams == 0) failure = MK_INVALID_DATA;
    if (failure == MK_OK && (!describe(c, request->io) || !vvc_begin_joining(c))) {
        failure = MK_NO_MEMORY;
    }
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

static int32_t read_packet(void *self, mk_packet *packet) {
    container *c = self;
    int result = 0;
    if (c->queue_next < c->queue_count) {
        av_packet_unref(c->packet);
        av_packet_move_ref(c->packet, c->queue[c->queue_next]);
        av_packet_free(&c->queue[c->queue_next++]);
    } else {
        result = vvc_demux(c);
    }
    if (result < 0) return vvc_outcome(c, "read a packet", result);
    vvc_join(c);
    const AVPacket *from = c->packet;
    packet->stream = (uint32_t)from->stream_index;
    packet->flags = vvc_is_keyframe(c, from) ? MK_PACKET_KEY : 0;
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

const mk_demuxer vvc_mp4_demuxer = {
    .struct_size = sizeof vvc_mp4_demuxer,
    .rank = 10,
    .name = "vvc-mp4",
    .summary = "Reads MP4 and MOV with VVC video.",
    .score = vvc_score_mp4,
    .open = open_mp4,
    .read_packet = read_packet,
    .seek = vvc_seek,
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
    .seek = vvc_seek,
    .select = select_streams,
    .close = close_container,
};
