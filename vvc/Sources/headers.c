// Reads NAL unit, parameter set and picture headers (H.266 clause 7.3) as far as needed.
#include "headers.h"

#include <string.h>

bool vvc_next_nal(
    const uint8_t *data, size_t size, int length_size, size_t *position, vvc_nal *nal) {
    size_t start = *position, end;
    if (length_size > 0) {
        size_t length = 0;
        if (start > size || size - start < (size_t)length_size) return false;
        for (int i = 0; i < length_size; i++) length = length << 8 | data[start + (size_t)i];
        start += (size_t)length_size;
        if (length > size - start) return false;
        end = start + length;
        *position = end;
    } else {
        const uint8_t *found = NULL;
        for (size_t i = start; size >= 3 && i <= size - 3; i++) {
            if (data[i] == 0 && data[i + 1] == 0 && data[i + 2] == 1) {
                found = data + i + 3;
                break;
            }
        }
        if (!found) return false;
        start = (size_t)(found - data);
        end = size;
        for (size_t i = start; size >= 3 && i <= size - 3; i++) {
            if (data[i] == 0 && data[i + 1] == 0 && data[i + 2] <= 1) {
                end = i;
                break;
            }
        }
        *position = end;
    }
    nal->data = data + start;
    nal->size = end - start;
    if (nal->size < 2) {
        nal->type = nal->layer = nal->temporal_id = -1;
        return true;
    }
    nal->layer = nal->data[0] & 0x3F;
    nal->type = nal->data[1] >> 3;
    nal->temporal_id = (nal->data[1] & 7) - 1;
    return true;
}

int vvc_length_size(const uint8_t *extradata, size_t size) {
    bool is_annex_b =
        size < 3 || (extradata[0] == 0 && extradata[1] == 0 && extradata[2] <= 1);
    return is_annex_b ? 0 : (extradata[0] >> 1 & 3) + 1;
}

bool vvc_nal_is_valid(const vvc_nal *nal) {
    // The two top bits are zero, and a temporal id plus one is at least one.
    return nal->size >= 2 && nal->data[0] >> 6 == 0 && nal->temporal_id >= 0 && nal->layer <= 55;
}

// The bits of a NAL unit without its emulation prevention bytes; reads zeros past the end.
typedef struct bits {
    const uint8_t *data;
    size_t size;
    size_t byte;
    int bit;
    int zeros;
    bool is_past_end;
    size_t count;
} bits;

static bits bits_of(const vvc_nal *nal) {
    return (bits){.data = nal->data + 2, .size = nal->size - 2};
}

static unsigned bit(bits *b) {
    if (b->byte >= b->size) {
        b->is_past_end = true;
        return 0;
    }
    unsigned value = b->data[b->byte] >> (7 - b->bit) & 1;
    b->count++;
    if (++b->bit == 8) {
        b->bit = 0;
        b->zeros = b->data[b->byte] == 0 ? b->zeros + 1 : 0;
        b->byte++;
        // 00 00 03: the 03 only keeps start codes from appearing.
        if (b->zeros >= 2 && b->byte < b->size && b->data[b->byte] == 3) {
            b->byte++;
            b->zeros = 0;
        }
    }
    return value;
}

static uint32_t u(bits *b, int width) {
    uint32_t value = 0;
    for (int i = 0; i < width; i++) value = value << 1 | bit(b);
    return value;
}

static void skip(bits *b, int width) {
    for (int i = 0; i < width && !b->is_past_end; i++) bit(b);
}

// Exponential Golomb (9.2).
static uint32_t ue(bits *b) {
    int zeros = 0;
    while (!bit(b)) {
        if (b->is_past_end || ++zeros > 31) {
            b->is_past_end = true;
            return 0;
        }
    }
    return ((uint32_t)1 << zeros) - 1 + u(b, zeros);
}

static void align(bits *b) {
    while (b->count % 8 != 0 && !b->is_past_end) bit(b);
}

// profile_tier_level( 1, … ) (7.3.3.1).
static void skip_profile(bits *b, int sublayers_minus1) {
    bool present[8] = {false};
    skip(b, 7 + 1 + 8 + 1 + 1);
    if (u(b, 1)) {
        skip(b, 71); // The general constraints that version 1 defines (7.3.3.2).
        skip(b, (int)u(b, 8));
    }
    align(b);
    for (int i = sublayers_minus1 - 1; i >= 0; i--) present[i] = u(b, 1);
    align(b);
    for (int i = sublayers_minus1 - 1; i >= 0; i--) {
        if (present[i]) skip(b, 8);
    }
    for (uint32_t count = u(b, 8); count > 0 && !b->is_past_end; count--) skip(b, 32);
}

static int ceil_log2(uint32_t value) {
    int width = 0;
    while (width < 31 && ((uint32_t)1 << width) < value) width++;
    return width;
}

static void skip_subpictures(bits *b, uint32_t width, uint32_t height, uint32_t ctu_log2) {
    uint32_t ctu = (uint32_t)1 << ctu_log2, last = ue(b);
    int x_bits = ceil_log2((width + ctu - 1) >> ctu_log2);
    int y_bits = ceil_log2((height + ctu - 1) >> ctu_log2);
    if (last > 0) {
        bool are_independent = u(b, 1), are_alike = u(b, 1);
        for (uint32_t i = 0; i <= last && !b->is_past_end; i++) {
            if (i == 0 || !are_alike) {
                if (i > 0 && width > ctu) skip(b, x_bits);
                if (i > 0 && height > ctu) skip(b, y_bits);
                if (i < last && width > ctu) skip(b, x_bits);
                if (i < last && height > ctu) skip(b, y_bits);
            }
            if (!are_independent) skip(b, 2);
        }
    }
    int id_bits = (int)ue(b) + 1;
    if (id_bits > 16) {
        b->is_past_end = true;
        return;
    }
    if (u(b, 1) && u(b, 1)) {
        for (uint32_t i = 0; i <= last && !b->is_past_end; i++) skip(b, id_bits);
    }
}

// seq_parameter_set_rbsp( ) up to the extra bits of picture headers (7.3.2.4).
static void read_sps(vvc_sets *sets, const vvc_nal *nal) {
    bits b = bits_of(nal);
    uint32_t id = u(&b, 4);
    skip(&b, 4);
    int sublayers_minus1 = (int)u(&b, 3);
    skip(&b, 2);
    uint32_t ctu_log2 = u(&b, 2) + 5;
    if (u(&b, 1)) skip_profile(&b, sublayers_minus1);
    skip(&b, 1);
    if (u(&b, 1)) skip(&b, 1);
    uint32_t width = ue(&b), height = ue(&b);
    if (u(&b, 1)) {
        for (int i = 0; i < 4; i++) ue(&b);
    }
    if (u(&b, 1)) skip_subpictures(&b, width, height, ctu_log2);
    ue(&b);
    skip(&b, 2);
    uint8_t lsb_bits = (uint8_t)(u(&b, 4) + 4), msb_bits = 0, extra = 0;
    if (u(&b, 1)) {
        uint32_t length = ue(&b) + 1;
        if (length > 32u - lsb_bits) return;
        msb_bits = (uint8_t)length;
    }
    for (uint32_t left = u(&b, 2) * 8; left > 0; left--) extra = (uint8_t)(extra + bit(&b));
    if (b.is_past_end || lsb_bits > 16) return;
    sets->sps[id].is_known = true;
    sets->sps[id].poc_lsb_bits = lsb_bits;
    sets->sps[id].poc_msb_bits = msb_bits;
    sets->sps[id].extra_ph_bits = extra;
}

static void read_pps(vvc_sets *sets, const vvc_nal *nal) {
    bits b = bits_of(nal);
    uint32_t id = u(&b, 6), sps = u(&b, 4);
    if (b.is_past_end) return;
    sets->pps[id].is_known = true;
    sets->pps[id].sps = (uint8_t)sps;
}

// The beginning of picture_header_structure( ) (7.3.2.8), and the order count of it (8.3.1).
static bool read_poc(
    vvc_sets *sets, bits *b, int nal_type, int temporal_id, int *poc) {
    bool may_be_gdr = u(b, 1), is_not_referred_to = u(b, 1);
    bool is_gdr = may_be_gdr && u(b, 1);
    if (u(b, 1)) skip(b, 1);
    uint32_t pps = ue(b);
    if (b->is_past_end || pps > 63 || !sets->pps[pps].is_known) return false;
    uint8_t sps = sets->pps[pps].sps;
    if (!sets->sps[sps].is_known) return false;
    int lsb_bits = sets->sps[sps].poc_lsb_bits, range = 1 << lsb_bits;
    int lsb = (int)u(b, lsb_bits);
    if (is_gdr) ue(b);
    skip(b, sets->sps[sps].extra_ph_bits);
    int64_t msb;
    bool is_idr = nal_type == NAL_IDR_W_RADL || nal_type == NAL_IDR_N_LP;
    if (sets->sps[sps].poc_msb_bits > 0 && u(b, 1)) {
        msb = (int64_t)u(b, sets->sps[sps].poc_msb_bits) * range;
    } else if (is_idr) {
        msb = 0;
    } else {
        int previous_lsb = sets->previous_poc & (range - 1);
        msb = (int64_t)sets->previous_poc - previous_lsb;
        if (lsb < previous_lsb && previous_lsb - lsb >= range / 2) {
            msb += range;
        } else if (lsb > previous_lsb && lsb - previous_lsb > range / 2) {
            msb -= range;
        }
    }
    int64_t value = msb + lsb;
    if (b->is_past_end || value > INT32_MAX || value < INT32_MIN) return false;
    *poc = (int)value;
    if (temporal_id == 0 && !is_not_referred_to && nal_type != NAL_RADL && nal_type != NAL_RASL) {
        sets->previous_poc = *poc;
    }
    return true;
}

vvc_picture vvc_read_picture(
    vvc_sets *sets, const uint8_t *data, size_t size, int length_size) {
    vvc_picture picture = {.nal_type = -1};
    vvc_nal nal, header = {0};
    size_t position = 0;
    while (vvc_next_nal(data, size, length_size, &position, &nal)) {
        if (!vvc_nal_is_valid(&nal) || nal.layer != 0) continue;
        if (nal.type == NAL_SPS) {
            read_sps(sets, &nal);
        } else if (nal.type == NAL_PPS) {
            read_pps(sets, &nal);
        } else if (nal.type == NAL_PH) {
            header = nal;
        } else if (nal.type == NAL_EOS || nal.type == NAL_EOB) {
            picture.ends_sequence = true;
        } else if (nal.type <= NAL_LAST_VCL && picture.nal_type < 0) {
            picture.nal_type = nal.type;
            bits b = bits_of(&nal);
            bool is_inside = u(&b, 1);
            if (!is_inside && header.data) b = bits_of(&header);
            if (is_inside || header.data) {
                picture.has_poc =
                    read_poc(sets, &b, nal.type, nal.temporal_id, &picture.poc);
            }
        }
    }
    return picture;
}
