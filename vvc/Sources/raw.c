// Raw VVC (.266): pictures behind start codes, with timestamps from their order counts.
//
// A file that can be sought in is walked once when it is opened: that gives every picture its place
// in the order of presentation, so that its timestamp is exact and any time can be sought. What
// comes through a pipe goes out as it comes, without timestamps.
#include "headers.h"
#include "vvc.h"

#include <libavcodec/avcodec.h>
#include <libavutil/pixdesc.h>

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 256 * 1024, TICKS_PER_FRAME = 1 };

static const int64_t indexed_size_limit = (int64_t)1 << 30;

typedef struct unit {
    int64_t offset;
    int64_t pts; // In frames; the order count while it is being indexed.
    uint32_t size;
    uint8_t is_key;
    uint8_t is_dropped; // A leading picture of the very first CRA.
} unit;

typedef struct raw {
    AVRational asked_rate; // Of the option; 0/0 where it is not set.
    const mk_host *host;
    const mk_io *io;
    AVCodecParserContext *parser;
    AVCodecContext *context;
    uint8_t *chunk; // CHUNK bytes and padding
    size_t chunk_size, chunk_position;
    bool is_at_end;
    int64_t given; // Bytes that the parser was given so far.

    unit *units; // NULL where the medium is not indexed.
    size_t unit_count, unit_capacity, next;

    uint8_t *data; // The packet that is out.
    size_t data_capacity;
    size_t kept; // The size of a first packet that was read to find out about the stream.

    mk_parameters parameters;
    mk_stream stream;
    const mk_stream *streams[1];
    mk_media media;
} raw;

static void close_raw(void *self) {
    raw *r = self;
    if (!r) return;
    av_parser_close(r->parser);
    avcodec_free_context(&r->context);
    free(r->chunk);
    free(r->units);
    free(r->data);
    free(r);
}

static bool start_parser(raw *r) {
    av_parser_close(r->parser);
    r->parser = av_parser_init(AV_CODEC_ID_VVC);
    r->chunk_size = r->chunk_position = 0;
    r->is_at_end = false;
    r->given = 0;
    return r->parser != NULL;
}

// The next access unit: MK_OK, MK_END, or a failure of reading.
static int32_t next_unit(raw *r, const uint8_t **data, size_t *size) {
    for (;;) {
        if (r->chunk_position == r->chunk_size && !r->is_at_end) {
            int64_t count = r->io->read(r->io->context, r->chunk, CHUNK);
            if (count < 0 || count > CHUNK) return count == MK_CANCELLED ? MK_CANCELLED : MK_IO;
            r->is_at_end = count == 0;
            r->given += count;
            r->chunk_position = 0;
            r->chunk_size = (size_t)count;
            memset(r->chunk + count, 0, AV_INPUT_BUFFER_PADDING_SIZE);
        }
        uint8_t *unit = NULL;
        int unit_size = 0;
        size_t left = r->chunk_size - r->chunk_position;
        int used = av_parser_parse2(
            r->parser, r->context, &unit, &unit_size, r->chunk + r->chunk_position, (int)left,
            AV_NOPTS_VALUE, AV_NOPTS_VALUE, 0);
        if (used < 0 || (size_t)used > left) return MK_INVALID_DATA;
        r->chunk_position += (size_t)used;
        if (unit_size > 0) {
            *data = unit;
            *size = (size_t)unit_size;
            return MK_OK;
        }
        if (left == 0 && r->is_at_end) return MK_END;
    }
}

static unit *add_unit(raw *r) {
    if (r->unit_count == r->unit_capacity) {
        size_t capacity = r->unit_capacity ? r->unit_capacity * 2 : 256;
        unit *grown = realloc(r->units, capacity * sizeof *grown);
        if (!grown) return NULL;
        r->units = grown;
        r->unit_capacity = capacity;
    }
    unit *added = &r->units[r->unit_count++];
    *added = (unit){0};
    return added;
}

typedef struct place {
    int64_t poc;
    size_t unit;
} place;

static int compare(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->poc != y->poc) return x->poc < y->poc ? -1 : 1;
    return x->unit < y->unit ? -1 : x->unit > y->unit;
}

// Turns the order counts of one coded video sequence into places in the whole.
static bool order_sequence(raw *r, size_t first, size_t end, int64_t *shown) {
    place *places = malloc((end - first + 1) * sizeof *places);
    if (!places) return false;
    size_t count = 0;
    for (size_t i = first; i < end; i++) {
        if (!r->units[i].is_dropped) places[count++] = (place){r->units[i].pts, i};
    }
    qsort(places, count, sizeof *places, compare);
    for (size_t i = 0; i < count; i++) r->units[places[i].unit].pts = (*shown)++;
    free(places);
    return true;
}

static int32_t index_units(raw *r) {
    vvc_sets sets = {.previous_poc = 0};
    const uint8_t *data;
    size_t size, sequence = 0;
    int64_t shown = 0, last_poc = 0;
    bool begins = true, drops_rasl = false;
    int32_t result;
    while ((result = next_unit(r, &data, &size)) == MK_OK) {
        vvc_picture picture = vvc_read_picture(&sets, data, size, 0);
        bool is_idr = picture.nal_type == NAL_IDR_W_RADL || picture.nal_type == NAL_IDR_N_LP;
        bool is_cra = picture.nal_type == NAL_CRA;
        // At an IDR, and at a CRA behind an end of sequence, counting begins anew (8.3.1).
        if (is_idr || (begins && (is_cra || picture.nal_type == NAL_GDR))) {
            if (!order_sequence(r, sequence, r->unit_count, &shown)) return MK_NO_MEMORY;
            sequence = r->unit_count;
            drops_rasl = is_cra;
            begins = false;
        } else if (is_cra) {
            drops_rasl = false;
        }
        unit *added = add_unit(r);
        if (!added) return MK_NO_MEMORY;
        // The parser drops what it can't make out, so counting sizes would go astray.
        added->offset =
            (r->is_at_end ? r->given : r->parser->next_frame_offset) - (int64_t)size;
        added->size = (uint32_t)size;
        added->is_key = is_idr || is_cra || picture.nal_type == NAL_GDR;
        added->is_dropped =
            picture.nal_type < 0 || (picture.nal_type == NAL_RASL && drops_rasl);
        last_poc = picture.has_poc ? picture.poc : last_poc + 1;
        added->pts = last_poc;
        if (picture.ends_sequence) begins = true;
    }
    if (result != MK_END) return result;
    if (!order_sequence(r, sequence, r->unit_count, &shown)) return MK_NO_MEMORY;
    r->stream.duration = shown * TICKS_PER_FRAME;
    return MK_OK;
}

static const mk_option frame_rate = {
    .struct_size = sizeof frame_rate,
    .kind = MK_DOUBLE,
    .name = "frame_rate",
    .summary = "Pictures a second, whatever the stream says; 25 where neither says.",
    .unit = "Hz",
    .flags = MK_OPTION_UNSET,
    .minimum = 1,
    .maximum = 1000,
};
static const mk_option *const options[] = {&frame_rate};

// Fills in what the parser has found in the first access units.
static void describe(raw *r) {
    AVRational rate = r->asked_rate.num > 0 ? r->asked_rate : r->context->framerate;
    if (rate.num <= 0 || rate.den <= 0) rate = (AVRational){25, 1};
    r->parameters = (mk_parameters){
        .struct_size = sizeof r->parameters, .kind = MK_VIDEO, .codec = "vvc",
        .profile = r->context->profile, .level = r->context->level,
        .width = r->parser->width, .height = r->parser->height, .aspect_den = 1,
        .pixel_format = av_get_pix_fmt_name((enum AVPixelFormat)r->parser->format)};
    r->stream.struct_size = sizeof r->stream;
    r->stream.flags = MK_STREAM_DEFAULT;
    r->stream.parameters = &r->parameters;
    r->stream.tick_num = rate.den;
    r->stream.tick_den = rate.num;
    r->stream.start = 0;
    r->stream.rate_num = rate.num;
    r->stream.rate_den = rate.den;
    r->streams[0] = &r->stream;
    r->media = (mk_media){
        .struct_size = sizeof r->media, .is_seekable = r->units != NULL, .container = "vvc",
        .start = 0, .duration = MK_NO_TIME, .streams = r->streams, .stream_count = 1};
    if (r->units) {
        r->media.duration =
            av_rescale(r->stream.duration, 1000000000LL * rate.den, rate.num);
        if (r->media.duration > 0) {
            r->media.bit_rate = av_rescale(r->io->size, 8000000000LL, r->media.duration);
        }
    }
}

static bool keep(raw *r, const uint8_t *data, size_t size) {
    if (size > r->data_capacity) {
        uint8_t *grown = realloc(r->data, size);
        if (!grown) return false;
        r->data = grown;
        r->data_capacity = size;
    }
    if (data) memcpy(r->data, data, size);
    return true;
}

static int32_t open_raw(
    const mk_host *host, const mk_demuxer_request *request, void **self,
    const mk_media **media) {
    raw *r = calloc(1, sizeof *r);
    if (!r) return MK_NO_MEMORY;
    r->host = host;
    r->io = request->io;
    for (size_t i = 0; i < request->value_count; i++) {
        const mk_value *value = &request->values[i];
        if (!strcmp(value->name, frame_rate.name)) r->asked_rate = av_d2q(value->number, 1001000);
    }
    r->stream.duration = MK_NO_TIME;
    r->chunk = malloc(CHUNK + AV_INPUT_BUFFER_PADDING_SIZE);
    r->context = avcodec_alloc_context3(NULL);
    if (!r->chunk || !r->context || !start_parser(r)) {
        close_raw(r);
        return MK_NO_MEMORY;
    }
    r->context->codec_id = AV_CODEC_ID_VVC;
    const uint8_t *data;
    size_t size = 0;
    int32_t result;
    if (r->io->is_seekable && r->io->size >= 0 && r->io->size <= indexed_size_limit) {
        result = index_units(r);
        if (result == MK_OK && r->unit_count == 0) result = MK_END;
        describe(r);
    } else {
        result = next_unit(r, &data, &size);
        // Kept as the first packet: what was read once can't be read again.
        if (result == MK_OK && !keep(r, data, size)) result = MK_NO_MEMORY;
        r->kept = size;
        describe(r);
    }
    if (result != MK_OK) {
        if (result == MK_END) host->set_error("there is no picture in it");
        close_raw(r);
        return result == MK_END ? MK_INVALID_DATA : result;
    }
    *self = r;
    *media = &r->media;
    return MK_OK;
}

static int32_t read_indexed(raw *r, mk_packet *packet) {
    while (r->next < r->unit_count && r->units[r->next].is_dropped) r->next++;
    if (r->next == r->unit_count) return MK_END;
    const unit *unit = &r->units[r->next++];
    if (!keep(r, NULL, unit->size)) return MK_NO_MEMORY;
    int64_t count = vvc_read_at(r->io, unit->offset, r->data, unit->size);
    if (count < 0) return (int32_t)count;
    packet->data = r->data;
    packet->size = (size_t)count;
    packet->pts = unit->pts * TICKS_PER_FRAME;
    packet->flags = unit->is_key ? MK_PACKET_KEY : 0;
    packet->duration = TICKS_PER_FRAME;
    return MK_OK;
}

static int32_t read_packet(void *self, mk_packet *packet) {
    raw *r = self;
    if (r->units) return read_indexed(r, packet);
    const uint8_t *data = r->data;
    size_t size = r->kept;
    if (size > 0) {
        packet->flags = MK_PACKET_KEY;
        r->kept = 0;
    } else {
        int32_t result = next_unit(r, &data, &size);
        if (result != MK_OK) return result;
        packet->flags = r->parser->key_frame == 1 ? MK_PACKET_KEY : 0;
    }
    packet->data = data;
    packet->size = size;
    packet->duration = TICKS_PER_FRAME;
    return MK_OK;
}

static int32_t seek(void *self, int64_t time) {
    raw *r = self;
    if (!r->units) return MK_UNSUPPORTED;
    // Rounded down, but not below the frame that a rounded time names.
    int64_t target = av_rescale_rnd(
        time + 1000, r->stream.tick_den, 1000000000LL * r->stream.tick_num, AV_ROUND_DOWN);
    size_t found = 0;
    for (size_t i = 0; i < r->unit_count; i++) {
        if (r->units[i].is_key && !r->units[i].is_dropped &&
            r->units[i].pts * TICKS_PER_FRAME <= target) {
            found = i;
        }
    }
    r->next = found;
    return MK_OK;
}

const mk_demuxer vvc_raw_demuxer = {
    .struct_size = sizeof vvc_raw_demuxer,
    .rank = 10,
    .name = "vvc-raw",
    .summary = "Reads raw VVC (.266).",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .score = vvc_score_raw,
    .open = open_raw,
    .read_packet = read_packet,
    .seek = seek,
    .close = close_raw,
};
