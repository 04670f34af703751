// What a decoder must know of a stream before its first packet.

package import CFFmpeg

/// Codec, format and extra data of a stream; never changes.
public final class CodecParameters: @unchecked Sendable {
    package let avParameters: UnsafeMutablePointer<AVCodecParameters>
    /// The encoder that makes the stream; nil for what a container held.
    public let encoderName: String?
    /// The name of a codec that FFmpeg has none for.
    private let foreignCodecName: String?

    /// Copies what FFmpeg holds.
    package init(
        copying parameters: UnsafePointer<AVCodecParameters>, encoderName: String? = nil,
        foreignCodecName: String? = nil
    ) {
        guard let copy = avcodec_parameters_alloc(), avcodec_parameters_copy(copy, parameters) >= 0
        else { fatalError("out of memory") }
        avParameters = copy
        self.encoderName = encoderName
        self.foreignCodecName = foreignCodecName
    }

    deinit {
        var parameters: UnsafeMutablePointer<AVCodecParameters>? = avParameters
        avcodec_parameters_free(&parameters)
    }

    /// What kind of stream it is.
    public var kind: MediaKind { MediaKind(avParameters.pointee.codec_type) }

    /// FFmpeg's name of the codec: `aac`, `h264`, …; a plugin's own for codecs that FFmpeg does not
    /// know; `none` where neither has one.
    public var codecName: String {
        if let foreignCodecName, foreignCodecName != "none" { return foreignCodecName }
        guard avParameters.pointee.codec_id == AV_CODEC_ID_NONE else {
            return String(cString: avcodec_get_name(avParameters.pointee.codec_id))
        }
        return CodecParameters.namesByTag[tag] ?? "none"
    }

    /// Codecs whose tag in MP4 (ISO/IEC 14496-15) FFmpeg 5.1 does not know yet.
    private static let namesByTag = ["vvc1": "vvc", "vvi1": "vvc"]

    /// The codec as people write it: `VVC`, `AAC`; by its tag where it has no name.
    public var codecTitle: String {
        if codecName != "none" { return codecName.uppercased() }
        return tag.isEmpty ? "an unknown codec" : "an unknown codec with tag '\(tag)'"
    }

    /// The four-character code of the container, as text; empty where there is none.
    public var tag: String {
        let code = avParameters.pointee.codec_tag
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: code >> ($0 * 8)) }
        return code == 0
            ? "" : String(decoding: bytes.map { $0 < 0x20 || $0 > 0x7E ? 63 : $0 }, as: UTF8.self)
    }

    /// Bits a second; nil where unknown.
    public var bitRate: Int? {
        avParameters.pointee.bit_rate > 0 ? Int(avParameters.pointee.bit_rate) : nil
    }

    /// Bits of a sample that carry sound; nil where the codec does not say.
    public var bitsPerRawSample: Int? {
        avParameters.pointee.bits_per_raw_sample > 0
            ? Int(avParameters.pointee.bits_per_raw_sample) : nil
    }

    /// The codec's profile, as FFmpeg names it.
    public var profile: String? {
        avcodec_profile_name(avParameters.pointee.codec_id, avParameters.pointee.profile)
            .map { String(cString: $0) }
    }

    /// The format of sound, as far as the container tells; nil for other kinds.
    public var audioFormat: AudioFormat? {
        let parameters = avParameters.pointee
        guard parameters.codec_type == AVMEDIA_TYPE_AUDIO, parameters.sample_rate > 0,
            parameters.ch_layout.nb_channels > 0
        else { return nil }
        let name = av_get_sample_fmt_name(AVSampleFormat(parameters.format))
        return AudioFormat(
            sampleRate: Int(parameters.sample_rate),
            layout: ChannelLayout(copying: parameters.ch_layout),
            sampleFormat: name.flatMap { SampleFormat(rawValue: String(cString: $0)) } ?? .fltp)
    }

    /// The format of pictures; nil for other kinds, and where the size is not known.
    public var videoFormat: VideoFormat? {
        let parameters = avParameters.pointee
        guard parameters.codec_type == AVMEDIA_TYPE_VIDEO, parameters.width > 0 else { return nil }
        let name = av_get_pix_fmt_name(AVPixelFormat(parameters.format))
        return VideoFormat(
            width: Int(parameters.width), height: Int(parameters.height),
            pixelFormat: name.map { String(cString: $0) } ?? "unknown",
            sampleAspectRatio: Ratio(
                parameters.sample_aspect_ratio.num, parameters.sample_aspect_ratio.den))
    }
}
