// A codec and its format as plain values, for plugins that are written without FFmpeg.

internal import CFFmpeg

/// What is told of a stream, as values of one's own.
public struct CodecDescription: Sendable {
    /// What the stream carries.
    public var kind: MediaKind
    /// FFmpeg's name of the codec, or any other that a demuxer and a decoder agree on.
    public var codecName: String
    /// The container's four-character code, first character lowest; 0 where there is none.
    public var tag: UInt32 = 0
    /// The codec's number of its profile; nil where unknown.
    public var profile: Int?
    /// The codec's number of its level; nil where unknown.
    public var level: Int?
    /// The codec's headers, as the container holds them.
    public var extraData: [UInt8] = []
    /// Bits a second; 0 where unknown.
    public var bitRate: Int64 = 0
    /// Width of pictures in pixels, as shown; 0 where unknown.
    public var width = 0
    /// Height of pictures in pixels, as shown; 0 where unknown.
    public var height = 0
    /// The shape of a pixel; nil where unknown.
    public var sampleAspectRatio: Ratio?
    /// FFmpeg's name of the pixel format; nil where unknown.
    public var pixelFormat: String?
    /// Samples a second of each channel; 0 where unknown.
    public var sampleRate = 0
    /// How many channels; 0 where unknown.
    public var channelCount = 0
    /// The layout by FFmpeg's name; nil for the usual one of the channel count.
    public var layout: String?
    /// How a sample is stored; nil where unknown.
    public var sampleFormat: SampleFormat?
    /// Bits of a sample that carry sound; 0 where unknown.
    public var bitsPerRawSample = 0
    /// Samples of each channel in a packet; 0 where unknown.
    public var frameSize = 0

    /// Begins a description; the rest is unknown.
    public init(kind: MediaKind, codecName: String) {
        self.kind = kind
        self.codecName = codecName
    }
}

extension CodecParameters {
    /// Makes parameters of a description.
    public convenience init(_ description: CodecDescription) {
        guard let made = avcodec_parameters_alloc() else { fatalError("out of memory") }
        defer {
            var made: UnsafeMutablePointer<AVCodecParameters>? = made
            avcodec_parameters_free(&made)
        }
        let known = avcodec_descriptor_get_by_name(description.codecName)
        made.pointee.codec_type = description.kind.avType
        made.pointee.codec_id = known?.pointee.id ?? AV_CODEC_ID_NONE
        made.pointee.codec_tag = description.tag
        made.pointee.profile = Int32(clamping: description.profile ?? -99)
        made.pointee.level = Int32(clamping: description.level ?? -99)
        made.pointee.bit_rate = description.bitRate
        made.pointee.width = Int32(clamping: description.width)
        made.pointee.height = Int32(clamping: description.height)
        made.pointee.sample_rate = Int32(clamping: description.sampleRate)
        made.pointee.bits_per_raw_sample = Int32(clamping: description.bitsPerRawSample)
        made.pointee.frame_size = Int32(clamping: description.frameSize)
        if let ratio = description.sampleAspectRatio {
            made.pointee.sample_aspect_ratio = AVRational(
                num: ratio.numerator, den: ratio.denominator)
        }
        made.pointee.format = -1
        if let name = description.pixelFormat {
            made.pointee.format = av_get_pix_fmt(name).rawValue
        } else if let format = description.sampleFormat {
            made.pointee.format = av_get_sample_fmt(format.rawValue).rawValue
        }
        if description.channelCount > 0 {
            let named = description.layout.flatMap(ChannelLayout.init(named:))
            if let named, named.channelCount == description.channelCount {
                named.withAVLayout { layout in
                    _ = av_channel_layout_copy(&made.pointee.ch_layout, &layout)
                }
            } else {
                av_channel_layout_default(
                    &made.pointee.ch_layout, Int32(clamping: description.channelCount))
            }
        }
        let bytes = description.extraData
        if !bytes.isEmpty {
            let room = bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)
            guard let copy = av_mallocz(room) else { fatalError("out of memory") }
            copy.copyMemory(from: bytes, byteCount: bytes.count)
            made.pointee.extradata = copy.assumingMemoryBound(to: UInt8.self)
            made.pointee.extradata_size = Int32(clamping: bytes.count)
        }
        self.init(
            copying: made, foreignCodecName: known == nil ? description.codecName : nil)
    }

    /// The same as values.
    public var codecDescription: CodecDescription {
        let raw = avParameters.pointee
        var description = CodecDescription(kind: kind, codecName: codecName)
        description.tag = raw.codec_tag
        description.profile = raw.profile == -99 ? nil : Int(raw.profile)
        description.level = raw.level == -99 ? nil : Int(raw.level)
        if let bytes = raw.extradata, raw.extradata_size > 0 {
            description.extraData = Array(
                UnsafeBufferPointer(start: bytes, count: Int(raw.extradata_size)))
        }
        description.bitRate = raw.bit_rate
        description.width = Int(raw.width)
        description.height = Int(raw.height)
        if raw.sample_aspect_ratio.num > 0 {
            description.sampleAspectRatio = Ratio(
                raw.sample_aspect_ratio.num, raw.sample_aspect_ratio.den)
        }
        if kind == .video {
            description.pixelFormat = av_get_pix_fmt_name(AVPixelFormat(raw.format)).map {
                String(cString: $0)
            }
        }
        description.sampleRate = Int(raw.sample_rate)
        description.channelCount = Int(raw.ch_layout.nb_channels)
        if raw.ch_layout.nb_channels > 0 {
            description.layout = ChannelLayout(copying: raw.ch_layout).name
        }
        if kind == .audio, let name = av_get_sample_fmt_name(AVSampleFormat(raw.format)) {
            description.sampleFormat = SampleFormat(rawValue: String(cString: name))
        }
        description.bitsPerRawSample = Int(raw.bits_per_raw_sample)
        description.frameSize = Int(raw.frame_size)
        return description
    }
}

extension MediaKind {
    /// FFmpeg's number of it.
    fileprivate var avType: AVMediaType {
        switch self {
        case .video: AVMEDIA_TYPE_VIDEO
        case .audio: AVMEDIA_TYPE_AUDIO
        case .subtitle: AVMEDIA_TYPE_SUBTITLE
        case .attachment: AVMEDIA_TYPE_ATTACHMENT
        case .data: AVMEDIA_TYPE_DATA
        }
    }
}
