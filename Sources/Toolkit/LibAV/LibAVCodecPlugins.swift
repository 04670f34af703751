// FFmpeg's decoders and encoders as plugins.

internal import CFFmpeg
public import MediaCore
public import MediaModel

/// Decodes every codec that FFmpeg decodes.
public struct LibAVDecoderPlugin: DecoderPlugin {
    /// Makes the descriptor; nothing is loaded.
    public init() {}

    /// `libav`.
    public var info: PluginInfo {
        PluginInfo(
            name: "libav", summary: "Decodes with FFmpeg's libavcodec.",
            version: String(cString: av_version_info()))
    }

    /// Whether FFmpeg has a decoder for it.
    public func supports(_ parameters: CodecParameters) -> Bool {
        avcodec_find_decoder(parameters.avParameters.pointee.codec_id) != nil
    }

    /// What libavutil finds on this machine.
    public var hardware: (any HardwareDevices)? { LibAVHardware() }

    /// Opens a decoder.
    public func makeDecoder(
        _ stream: StreamInfo, _ request: DecoderRequest
    ) throws(MediaError) -> sending any Decoder {
        AVLogBridge.install()
        return try LibAVDecoder(stream, threads: request.threads) { context in
            if request.showsIncomplete { context.pointee.flags |= mk_codec_flag_output_corrupt }
        }
    }
}

/// Encodes with every encoder that FFmpeg has.
public struct LibAVEncoderPlugin: EncoderPlugin {
    /// Makes the descriptor; nothing is loaded.
    public init() {}

    /// `libav`.
    public var info: PluginInfo {
        PluginInfo(
            name: "libav", summary: "Encodes with FFmpeg's libavcodec.",
            version: String(cString: av_version_info()))
    }

    /// Whether FFmpeg has an encoder of this name, or one for a codec of this name.
    public func supports(_ name: String) -> Bool {
        (try? LibAVEncoder.codec(name)) != nil
    }

    /// Whether FFmpeg has an encoder for a codec that is no experiment.
    public func encodes(_ codec: String) -> Bool {
        (try? LibAVEncoder.codec(codec)).map { !$0.isExperimental } ?? false
    }

    /// What the encoder's descriptor lists.
    public func acceptedAudio(_ name: String) throws(MediaError) -> AudioFormatSet {
        let codec = try LibAVEncoder.codec(name)
        var formats: UnsafePointer<AVSampleFormat>?
        var rates: UnsafePointer<Int32>?
        var layouts: UnsafePointer<AVChannelLayout>?
        let formatCount = Int(mk_sample_formats(codec, &formats))
        let rateCount = Int(mk_sample_rates(codec, &rates))
        let layoutCount = Int(mk_channel_layouts(codec, &layouts))
        return AudioFormatSet(
            sampleFormats: UnsafeBufferPointer(start: formats, count: formatCount).compactMap {
                av_get_sample_fmt_name($0).flatMap { SampleFormat(rawValue: String(cString: $0)) }
            },
            sampleRates: UnsafeBufferPointer(start: rates, count: rateCount).map { Int($0) },
            layouts: UnsafeBufferPointer(start: layouts, count: layoutCount).map {
                ChannelLayout(copying: $0)
            })
    }

    /// Vorbis goes to 200 kHz, which its descriptor does not say; the others list their rates.
    public func nearestSampleRate(_ name: String, to rate: Int) -> Int {
        guard let codec = try? LibAVEncoder.codec(name),
            codec.pointee.id == AV_CODEC_ID_VORBIS
        else { return rate }
        return rate > 200_000 ? 192_000 : rate
    }

    /// Those that FFmpeg was built with.
    public var encoderNames: [String] { LibAVEncoder.encoderNames }

    /// What the encoder's descriptor lists.
    public func acceptedPixelFormats(_ name: String) throws(MediaError) -> [String] {
        let codec = try LibAVEncoder.codec(name)
        var formats: UnsafePointer<AVPixelFormat>?
        let count = Int(mk_pixel_formats(codec, &formats))
        let names = UnsafeBufferPointer(start: formats, count: count).compactMap {
            av_get_pix_fmt_name($0).map { String(cString: $0) }
        }
        // Numbers of JPEG use their whole range; what else the encoder lists it refuses by default.
        let isJPEG = codec.pointee.id == AV_CODEC_ID_MJPEG
        let whole = names.filter { $0.hasPrefix("yuvj") }
        return isJPEG && !whole.isEmpty ? whole : names
    }

    /// Opens an encoder.
    public func makeEncoder(_ request: EncoderRequest) throws(MediaError) -> sending any Encoder {
        AVLogBridge.install()
        return try LibAVEncoder(request)
    }
}
