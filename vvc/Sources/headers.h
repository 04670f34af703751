// The few fields of H.266 headers that finding pictures, their order and their kind takes.
#ifndef MEDIAKIT_VVC_HEADERS_H
#define MEDIAKIT_VVC_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// NAL unit types (H.266 table 5).
enum {
    NAL_TRAIL = 0,
    NAL_RADL = 2,
    NAL_RASL = 3,
    NAL_IDR_W_RADL = 7,
    NAL_IDR_N_LP = 8,
    NAL_CRA = 9,
    NAL_GDR = 10,
    NAL_LAST_VCL = 11,
    NAL_VPS = 14,
    NAL_SPS = 15,
    NAL_PPS = 16,
    NAL_PH = 19,
    NAL_AUD = 20,
    NAL_EOS = 21,
    NAL_EOB = 22
};

// One NAL unit in a buffer, its two header bytes included.
typedef struct vvc_nal {
    const uint8_t *data;
    size_t size;
    int type;
    int layer;
    int temporal_id;
} vvc_nal;

// Walks the NAL units of a buffer: behind start codes (`length_size` 0) or behind lengths of so
// many bytes. Starts with `*position` 0; false at the end and where a unit can't be.
bool vvc_next_nal(
    const uint8_t *data, size_t size, int length_size, size_t *position, vvc_nal *nal);

// The size of the lengths before NAL units, by the extra data of a stream: 0 where start codes
// stand between them, else what the vvcC record says (ISO/IEC 14496-15 11.2.4.2).
int vvc_length_size(const uint8_t *extradata, size_t size);

// Whether the two header bytes are allowed (H.266 7.3.1.2).
bool vvc_nal_is_valid(const vvc_nal *nal);

// What is kept of the parameter sets.
typedef struct vvc_sets {
    struct {
        bool is_known;
        uint8_t poc_lsb_bits;
        uint8_t poc_msb_bits; // 0 where it is never sent.
        uint8_t extra_ph_bits;
    } sps[16];
    struct {
        bool is_known;
        uint8_t sps;
    } pps[64];
    // The picture order count of the last picture of temporal layer 0 that others may refer to.
    int previous_poc;
} vvc_sets;

// What is found out about an access unit.
typedef struct vvc_picture {
    int nal_type; // Of its first slice; -1 where it has none.
    int poc;      // The picture order count; only where `has_poc`.
    bool has_poc;
    bool ends_sequence; // An end of sequence or bitstream is in it.
} vvc_picture;

// Reads an access unit, learning the parameter sets in it.
vvc_picture vvc_read_picture(
    vvc_sets *sets, const uint8_t *data, size_t size, int length_size);

#endif
