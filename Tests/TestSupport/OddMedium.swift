// A container and a codec in C that do what a test has them do.

public import MediaCore

extension Workshop {
    /// C statements that are put into the functions of `oddMedium`.
    public struct OddParts {
        /// Into `open`, before anything is made.
        public var open = ""
        /// Into `read_packet`: `p` is the packet, complete; `r->n` its number.
        public var packet = ""
        /// Into `create` of the decoder.
        public var create = ""
        /// Into `receive`, before it looks for a packet: `m` is the decoder, `m->has` whether there is
        /// a packet, `m->ends` whether it drains.
        public var receive = ""
        /// Into `receive`: `f` is the frame, complete; `bytes` its 4096 bytes.
        public var frame = ""
        /// Into `release`.
        public var release = ""

        /// Well-behaved parts.
        public init() {}
    }

    /// A plugin with a demuxer for whatever begins with `ODD1` (50 packets of a video stream, 25 a
    /// second) and a decoder of grey pictures of 64x48 for it.
    public static func oddMedium(
        _ name: String, in folder: TemporaryFolder, _ parts: OddParts
    ) throws(MediaError) -> String {
        try plugin(
            name, in: folder,
            parts: """
                #include <stdio.h>
                #include <string.h>
                typedef struct reader {
                    mk_parameters codec;
                    mk_stream stream;
                    const mk_stream *streams[1];
                    mk_media media;
                    int64_t n;
                    uint8_t bytes[8];
                } reader;
                static int32_t score(const mk_probe *p) {
                    return p->head_size >= 4 && !memcmp(p->head, "ODD1", 4) ? 100 : 0;
                }
                static int32_t open_(const mk_host *h, const mk_demuxer_request *q, void **self,
                                     const mk_media **media) {
                    (void)h, (void)q;
                    \(parts.open)
                    reader *r = calloc(1, sizeof *r);
                    r->codec = (mk_parameters){.struct_size = sizeof r->codec, .kind = MK_VIDEO,
                        .codec = "odd", .profile = -99, .level = -99, .width = 64, .height = 48,
                        .aspect_den = 1};
                    r->stream = (mk_stream){.struct_size = sizeof r->stream,
                        .parameters = &r->codec, .tick_num = 1, .tick_den = 25,
                        .duration = MK_NO_TIME, .rate_num = 25, .rate_den = 1};
                    r->streams[0] = &r->stream;
                    r->media = (mk_media){.struct_size = sizeof r->media, .container = "odd",
                        .duration = 2000000000, .streams = r->streams, .stream_count = 1};
                    *self = r;
                    *media = &r->media;
                    return MK_OK;
                }
                static int32_t read_packet(void *self, mk_packet *p) {
                    reader *r = self;
                    if (r->n == 50) return MK_END;
                    p->data = r->bytes;
                    p->size = sizeof r->bytes;
                    p->flags = MK_PACKET_KEY;
                    p->pts = p->dts = r->n++;
                    p->duration = 1;
                    \(parts.packet)
                    return MK_OK;
                }
                static const mk_demuxer demuxer = {.struct_size = sizeof(mk_demuxer),
                    .name = "\(name)", .summary = "Reads nothing.", .score = score, .open = open_,
                    .read_packet = read_packet, .close = free};
                static const mk_demuxer *const demuxers[] = {&demuxer};

                typedef struct maker {
                    int has, ends;
                    int64_t pts;
                } maker;
                static int32_t supports(const mk_parameters *p) { return !strcmp(p->codec, "odd"); }
                static int32_t create(const mk_host *h, const mk_decoder_request *q, void **self) {
                    (void)h, (void)q;
                    \(parts.create)
                    *self = calloc(1, sizeof(maker));
                    return MK_OK;
                }
                static int32_t send(void *self, const mk_packet *p) {
                    maker *m = self;
                    m->has = p != NULL;
                    m->ends = !p;
                    if (p) m->pts = p->pts;
                    return MK_OK;
                }
                static void release(void *owner) {
                    free(owner);
                    \(parts.release)
                }
                static int32_t receive(void *self, mk_frame *f) {
                    maker *m = self;
                    \(parts.receive)
                    if (!m->has) return m->ends ? MK_END : MK_AGAIN;
                    m->has = 0;
                    uint8_t *bytes = calloc(1, 4096);
                    f->kind = MK_VIDEO;
                    f->flags = MK_FRAME_KEY;
                    f->pts = m->pts;
                    f->duration = 1;
                    f->planes[0] = bytes;
                    f->strides[0] = 64;
                    f->width = 64;
                    f->height = 48;
                    f->pixel_format = "gray";
                    f->aspect_den = 1;
                    f->primaries = f->transfer = f->matrix = 2;
                    f->owner = bytes;
                    f->release = release;
                    \(parts.frame)
                    return MK_OK;
                }
                static void flush(void *self) { memset(self, 0, sizeof(maker)); }
                static const mk_decoder decoder = {.struct_size = sizeof(mk_decoder),
                    .name = "\(name)", .summary = "Decodes nothing.", .supports = supports,
                    .create = create, .send = send, .receive = receive, .flush = flush,
                    .destroy = free};
                static const mk_decoder *const decoders[] = {&decoder};
                """,
            members: ".demuxers = demuxers, .demuxer_count = 1, " + decoderMembers)
    }

    /// A filter of planar floats whose functions do something else than they should: `process` has
    /// these statements before it passes its input on, with `emit` and `sink` at hand.
    public static func badFilter(
        _ name: String, in folder: TemporaryFolder, process: String, latency: String? = nil
    ) throws(MediaError) -> String {
        var parts =
            "#include <stdio.h>\nstatic const char *const formats[] = {\"fltp\", NULL};\n"
            + idleFilter(name).replacing(
                "(void)s;\n    return input", with: "(void)s;\n    \(process)\n    return input"
            ).replacing(".create = create", with: ".sample_formats = formats, .create = create")
        if let latency {
            parts = parts.replacing(
                "static const mk_option option",
                with: "static int64_t latency(void *s) { (void)s; return \(latency); }\n"
                    + "static const mk_option option"
            ).replacing(".destroy = destroy}", with: ".latency = latency, .destroy = destroy}")
        }
        return try plugin(name, in: folder, parts: parts, members: filterMembers)
    }
}
