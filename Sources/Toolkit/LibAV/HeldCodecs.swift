// The codecs of containers that FFmpeg has no table for.

internal import CFFmpeg

/// What the muxers without a table hold so that a reader knows it again, beside their defaults.
///
/// - Source: the headers and the packets that these muxers write: some refuse the rest there, others
///   write it as bytes that no reader can name.
enum HeldCodecs {
    /// The codecs of a muxer, by FFmpeg's short name; nil where it takes whatever comes.
    static func list(_ name: String) -> [AVCodecID]? {
        switch name {
        case "mpegts", "rtp_mpegts", "hls": transportStream
        case "mpeg", "vcd", "dvd", "svcd", "vob": programStream
        case "ogg", "oga", "ogv": ogg
        case "opus": [AV_CODEC_ID_OPUS]
        case "spx": [AV_CODEC_ID_SPEEX]
        case "mxf", "mxf_opatom": mxf
        case "gxf": [AV_CODEC_ID_MJPEG, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_DVVIDEO]
        case "swf", "avm2": [AV_CODEC_ID_VP6F, AV_CODEC_ID_VP6A, AV_CODEC_ID_MJPEG]
        case "srt": [AV_CODEC_ID_TEXT]
        case "ico": [AV_CODEC_ID_PNG]
        case "spdif":
            [
                AV_CODEC_ID_EAC3, AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3,
                AV_CODEC_ID_AAC, AV_CODEC_ID_DTS, AV_CODEC_ID_TRUEHD, AV_CODEC_ID_MLP,
            ]
        case "latm": [AV_CODEC_ID_AAC_LATM]
        case "film_cpk": [AV_CODEC_ID_RAWVIDEO, AV_CODEC_ID_PCM_S8_PLANAR, AV_CODEC_ID_ADPCM_ADX]
        default: takesAnything.contains(name) ? nil : []
        }
    }

    /// Hashes, tests, and those that hand packets on to other muxers.
    private static let takesAnything: Set<String> = [
        "crc", "framecrc", "framehash", "framemd5", "hash", "md5", "streamhash", "uncodedframecrc",
        "null", "data", "mkvtimestamp_v2", "ffmetadata", "fifo", "fifo_test", "tee", "segment",
        "stream_segment,ssegment", "dash", "hds", "smoothstreaming", "webm_chunk",
        "webm_dash_manifest", "rtp", "rtsp", "sap", "image2", "image2pipe",
    ]

    private static var transportStream: [AVCodecID] {
        let always = [
            AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4, AV_CODEC_ID_H264,
            AV_CODEC_ID_HEVC, AV_CODEC_ID_VC1, AV_CODEC_ID_CAVS, AV_CODEC_ID_AVS2,
            AV_CODEC_ID_AVS3, AV_CODEC_ID_DIRAC, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AAC,
            AV_CODEC_ID_AAC_LATM, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_DTS,
            AV_CODEC_ID_TRUEHD, AV_CODEC_ID_OPUS, AV_CODEC_ID_S302M, AV_CODEC_ID_DVB_SUBTITLE,
            AV_CODEC_ID_DVB_TELETEXT, AV_CODEC_ID_SMPTE_KLV, AV_CODEC_ID_TIMED_ID3,
        ]
        // FFmpeg 7.0 began to name it.
        return avformat_version() >> 16 >= 61 ? always + [AV_CODEC_ID_VVC] : always
    }

    private static var programStream: [AVCodecID] {
        [
            AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_H264, AV_CODEC_ID_MP1,
            AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AC3, AV_CODEC_ID_DTS,
            AV_CODEC_ID_PCM_DVD, AV_CODEC_ID_PCM_S16BE, AV_CODEC_ID_DVD_SUBTITLE,
        ]
    }

    private static var ogg: [AVCodecID] {
        [
            AV_CODEC_ID_VORBIS, AV_CODEC_ID_OPUS, AV_CODEC_ID_FLAC, AV_CODEC_ID_SPEEX,
            AV_CODEC_ID_THEORA, AV_CODEC_ID_VP8, AV_CODEC_ID_DIRAC,
        ]
    }

    private static var mxf: [AVCodecID] {
        [
            AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG4, AV_CODEC_ID_H264,
            AV_CODEC_ID_DNXHD, AV_CODEC_ID_PRORES, AV_CODEC_ID_DVVIDEO, AV_CODEC_ID_JPEG2000,
            AV_CODEC_ID_RAWVIDEO, AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S24LE,
        ]
    }

    /// Whether a file of this name is expected to hold such sound: some endings name a codec, though
    /// the container takes others.
    static func isNamed(_ codec: AVCodecID, _ path: String) -> Bool {
        guard path.lowercased().hasSuffix(".wma") else { return true }
        return [
            AV_CODEC_ID_WMAV1, AV_CODEC_ID_WMAV2, AV_CODEC_ID_WMAPRO, AV_CODEC_ID_WMALOSSLESS,
            AV_CODEC_ID_WMAVOICE,
        ].contains(codec)
    }

    /// What a muxer refuses though it is in its table.
    static func refuses(_ name: String, _ codec: AVCodecID) -> Bool {
        switch name {
        case "mov":
            [
                AV_CODEC_ID_FLAC, AV_CODEC_ID_OPUS, AV_CODEC_ID_TRUEHD, AV_CODEC_ID_VP8,
                AV_CODEC_ID_VP9, AV_CODEC_ID_AV1,
            ].contains(codec)
        // Bare samples come at three rates only, and their bytes say nothing of the rest; no reader
        // gets the headers of MPEG-4.
        case "flv":
            [
                AV_CODEC_ID_PCM_U8, AV_CODEC_ID_PCM_S16BE, AV_CODEC_ID_PCM_S16LE,
                AV_CODEC_ID_MPEG4,
            ].contains(codec)
        case "wtv": [AV_CODEC_ID_THEORA, AV_CODEC_ID_MJPEG].contains(codec)
        default: false
        }
    }

    /// Whether pictures find back into their order where only the times are kept at which they are
    /// decoded, as in Matroska's form for codecs that it has no name for.
    static func isOrderedByDecodeTime(_ codec: AVCodecID) -> Bool {
        // FFmpeg 7.1 has a parser for VVC, and still reads nothing of it there.
        if codec == AV_CODEC_ID_VVC { return false }
        let properties = avcodec_descriptor_get(codec)?.pointee.props ?? 0
        guard properties & AV_CODEC_PROP_REORDER != 0 else { return true }
        guard let parser = av_parser_init(Int32(codec.rawValue)) else { return false }
        av_parser_close(parser)
        return true
    }

    /// Why FFmpeg can't write a codec that is younger than it; nil where that is not the reason.
    static func obstacle(_ codec: String, _ container: String) -> String? {
        guard codec == "vvc" else { return nil }
        let version = String(cString: av_version_info()).prefix { $0.isNumber || $0 == "." }
            .split(separator: ".").prefix(2).joined(separator: ".")
        return
            "FFmpeg \(version) can't write VVC into \(container); FFmpeg 7.1 writes it into MP4 and "
            + "MPEG-TS, and a video encoder that is named (--video-encoder) encodes it anew"
    }

    /// Whether a muxer keeps one stream of sound at most.
    static func isForOneSound(_ format: UnsafePointer<AVOutputFormat>) -> Bool {
        let name = String(cString: format.pointee.name)
        if ["flac", "mp3", "aiff", "flv", "swf", "avm2", "mxf_opatom"].contains(name) {
            return true
        }
        let holdsMore = ["matroska", "oga", "opus", "spx"].contains(name)
        return !holdsMore && list(name) != nil && format.pointee.video_codec == AV_CODEC_ID_NONE
            && format.pointee.flags & AVFMT_NOFILE == 0
    }
}
