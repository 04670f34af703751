// Tells whether a medium holds VVC, so that these demuxers win only what is theirs.
#include "headers.h"
#include "vvc.h"

#include <string.h>

enum { CERTAIN = 100 };

// Bytes of the medium at any place, from the head where it has them.
static bool at(const mk_probe *probe, int64_t offset, uint8_t *buffer, size_t size) {
    if (offset < 0) return false;
    if (offset <= (int64_t)probe->head_size && size <= probe->head_size - (size_t)offset) {
        memcpy(buffer, probe->head + offset, size);
        return true;
    }
    return probe->io && vvc_read_at(probe->io, offset, buffer, size) == (int64_t)size;
}

static uint32_t be32(const uint8_t *b) {
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

// ---- Raw: a start code at the very front, valid units only, an SPS, a PPS and a slice. ----

int32_t vvc_score_raw(const mk_probe *probe) {
    size_t position = 0, zeros = 0;
    bool has_sps = false, has_pps = false, has_slice = false;
    vvc_nal nal;
    while (zeros < probe->head_size && probe->head[zeros] == 0) zeros++;
    if (zeros < 2 || zeros >= probe->head_size || probe->head[zeros] != 1) return 0;
    while (vvc_next_nal(probe->head, probe->head_size, 0, &position, &nal)) {
        // The last unit may be cut off by the end of the head.
        if (nal.data + nal.size == probe->head + probe->head_size && nal.size < 2) break;
        if (!vvc_nal_is_valid(&nal) || nal.type > 27) return 0;
        if (nal.type == NAL_SPS) has_sps = true;
        if (nal.type == NAL_PPS) has_pps = has_sps;
        if (nal.type <= NAL_LAST_VCL && !has_pps) return 0;
        if (nal.type <= NAL_LAST_VCL) has_slice = true;
    }
    return has_pps ? (has_slice ? CERTAIN : CERTAIN / 2) : 0;
}

// ---- MP4 and MOV: a sample entry vvc1 or vvi1 in moov/trak/mdia/minf/stbl/stsd. ----

typedef struct boxes {
    const mk_probe *probe;
    int left; // How many more boxes are looked at, against files made to take for ever.
} boxes;

static bool holds_vvc(boxes *boxes, int64_t offset, int64_t end, int depth) {
    static const char *const path[] = {"moov", "trak", "mdia", "minf", "stbl", "stsd"};
    while (boxes->left-- > 0 && end - offset >= 8) {
        uint8_t head[16];
        if (!at(boxes->probe, offset, head, 8)) return false;
        int64_t size = be32(head), header = 8;
        if (size == 1) {
            if (!at(boxes->probe, offset, head, 16)) return false;
            size = (int64_t)((uint64_t)be32(head + 8) << 32 | be32(head + 12));
            header = 16;
        } else if (size == 0) {
            size = end - offset;
        }
        if (size < header || size > end - offset) return false;
        if (depth == 6) {
            if (!memcmp(head + 4, "vvc1", 4) || !memcmp(head + 4, "vvi1", 4)) return true;
        } else if (!memcmp(head + 4, path[depth], 4)) {
            // stsd holds its version, flags and a count before the entries.
            int64_t inside = offset + header + (depth == 5 ? 8 : 0);
            if (holds_vvc(boxes, inside, offset + size, depth + 1)) return true;
        }
        offset += size;
    }
    return false;
}

int32_t vvc_score_mp4(const mk_probe *probe) {
    static const char *const first[] = {"ftyp", "styp", "moov", "mdat", "free", "wide", "skip"};
    bool is_mp4 = false;
    if (probe->head_size < 8) return 0;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        if (!memcmp(probe->head + 4, first[i], 4)) is_mp4 = true;
    }
    if (!is_mp4) return 0;
    int64_t end = probe->io && probe->io->size >= 0 ? probe->io->size : INT64_MAX / 2;
    boxes boxes = {probe, 4096};
    return holds_vvc(&boxes, 0, end, 0) ? CERTAIN : 0;
}

// ---- MPEG-TS: a stream of type 0x33 in a program map. ----

enum { PACKET = 188, SEEN = 256 * 1024, SECTION = 1024, STREAM_TYPE_VVC = 0x33 };

typedef struct table {
    uint8_t bytes[SECTION + PACKET];
    size_t size;
} table;

// Adds the payload of a packet to a table; true once its first section is complete.
static bool add(table *table, const uint8_t *packet) {
    size_t start = 4;
    if (packet[3] & 0x20) start += 1 + (size_t)packet[4];
    if (!(packet[3] & 0x10) || start >= PACKET) return false;
    if (packet[1] & 0x40) {
        start += 1 + (size_t)packet[start];
        table->size = 0;
        if (start >= PACKET) return false;
    } else if (table->size == 0) {
        return false;
    }
    if (table->size + PACKET > sizeof table->bytes) return false;
    memcpy(table->bytes + table->size, packet + start, PACKET - start);
    table->size += PACKET - start;
    return table->size >= 3 &&
           table->size >= 3 + (size_t)((table->bytes[1] & 0xF) << 8 | table->bytes[2]);
}

static bool maps_vvc(const table *table) {
    size_t length = (size_t)((table->bytes[1] & 0xF) << 8 | table->bytes[2]);
    if (table->bytes[0] != 2 || length < 13) return false;
    size_t end = 3 + length - 4;
    size_t at = 12 + (size_t)((table->bytes[10] & 0xF) << 8 | table->bytes[11]);
    while (at + 5 <= end) {
        if (table->bytes[at] == STREAM_TYPE_VVC) return true;
        at += 5 + (size_t)((table->bytes[at + 3] & 0xF) << 8 | table->bytes[at + 4]);
    }
    return false;
}

// The distance of packets (188, or 192 and 204 with more around each) and the first one's place.
static bool find_packets(const mk_probe *probe, int64_t *first, int *distance) {
    static const int distances[] = {188, 192, 204};
    for (size_t d = 0; d < 3; d++) {
        for (size_t start = 0; start < (size_t)distances[d]; start++) {
            size_t count = 0, at = start;
            while (at < probe->head_size && probe->head[at] == 0x47) {
                count++;
                at += (size_t)distances[d];
            }
            if (at >= probe->head_size && count >= 2) {
                *first = (int64_t)start;
                *distance = distances[d];
                return true;
            }
        }
    }
    return false;
}

int32_t vvc_score_ts(const mk_probe *probe) {
    int64_t offset;
    int distance;
    if (!find_packets(probe, &offset, &distance)) return 0;
    table association = {.size = 0}, map = {.size = 0};
    int map_pid = -1, maps[16], map_count = 0;
    uint8_t packet[PACKET];
    for (; offset < SEEN && at(probe, offset, packet, PACKET); offset += distance) {
        if (packet[0] != 0x47) return 0;
        int pid = (packet[1] & 0x1F) << 8 | packet[2];
        if (pid == 0 && add(&association, packet) && association.bytes[0] == 0) {
            size_t length =
                (size_t)((association.bytes[1] & 0xF) << 8 | association.bytes[2]);
            map_count = 0;
            for (size_t i = 8; length >= 9 && i + 4 <= 3 + length - 4 && map_count < 16; i += 4) {
                int program = association.bytes[i] << 8 | association.bytes[i + 1];
                int at = (association.bytes[i + 2] & 0x1F) << 8 | association.bytes[i + 3];
                if (program != 0) maps[map_count++] = at;
            }
        }
        for (int i = 0; i < map_count; i++) {
            if (pid != maps[i]) continue;
            if (map_pid != pid) map.size = 0;
            map_pid = pid;
            if (add(&map, packet) && maps_vvc(&map)) return CERTAIN;
        }
    }
    return 0;
}
