// Frames into packets.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// One of FFmpeg's encoders.
///
/// Packets of sound count in samples, pictures in the time between two of them. Threading: confined.
final class LibAVEncoder: Encoder {
    let parameters: CodecParameters
    let timeBase: TimeBase
    let frameSize: Int?
    private let name: String
    private var context: UnsafeMutablePointer<AVCodecContext>?

    init(_ request: EncoderRequest) throws(MediaError) {
        let codec = try LibAVEncoder.codec(request.name)
        let context = try LibAVEncoder.open(codec, request)
        var owned: UnsafeMutablePointer<AVCodecContext>? = context
        do {
            guard let parameters = avcodec_parameters_alloc() else {
                fatalError("out of memory")
            }
            var copy: UnsafeMutablePointer<AVCodecParameters>? = parameters
            defer { avcodec_parameters_free(&copy) }
            try avCheck(
                avcodec_parameters_from_context(parameters, context),
                "open encoder \(request.name)", else: .encodeFailed)
            let encoder = String(cString: codec.pointee.name)
            self.parameters = CodecParameters(copying: parameters, encoderName: encoder)
            name = encoder
        } catch {
            avcodec_free_context(&owned)
            throw error
        }
        self.context = context
        timeBase = TimeBase(context.pointee.time_base.num, context.pointee.time_base.den)
        let isFree = codec.pointee.capabilities & AV_CODEC_CAP_VARIABLE_FRAME_SIZE != 0
        frameSize =
            isFree || context.pointee.frame_size <= 0 ? nil : Int(context.pointee.frame_size)
    }

    deinit { avcodec_free_context(&context) }

    func send(_ frame: Frame?) throws(MediaError) {
        if let frame { try check(frame.avFrame.pointee) }
        let result = frame.map { send($0) } ?? avcodec_send_frame(context, nil)
        if result == AVResult.end, frame == nil { return }
        if result < 0 {
            let place = frame?.time.map { " at \($0)" } ?? ""
            throw .av(result, "encode \(name)\(place)", else: .encodeFailed)
        }
    }

    func receive() throws(MediaError) -> Pull<Packet> {
        guard let packet = av_packet_alloc() else { fatalError("out of memory") }
        let result = avcodec_receive_packet(context, packet)
        guard result >= 0 else {
            var packet: UnsafeMutablePointer<AVPacket>? = packet
            av_packet_free(&packet)
            if result == AVResult.again { return .needsInput }
            if result == AVResult.end { return .endOfStream }
            throw .av(result, "encode \(name)", else: .encodeFailed)
        }
        return .value(Packet(owning: packet, timeBase: timeBase))
    }

    /// Refuses what an encoder would read beyond its end.
    private func check(_ frame: AVFrame) throws(MediaError) {
        guard let context = context?.pointee else { return }
        let fits: Bool
        if parameters.kind == .audio {
            fits =
                frame.nb_samples > 0 && frame.format == context.sample_fmt.rawValue
                && frame.ch_layout.nb_channels == context.ch_layout.nb_channels
        } else if context.codec_id == AV_CODEC_ID_RAWVIDEO {
            // It goes by the frame alone, and pictures may change their size.
            fits = frame.nb_samples == 0
        } else {
            fits =
                frame.nb_samples == 0 && frame.width == context.width
                && frame.height == context.height
                && AVPixelFormat(frame.format).isLaidOut(like: context.pix_fmt)
        }
        if !fits {
            throw MediaError(
                .badArgument,
                "encode \(name): the frame is not of the format that the encoder was made for")
        }
    }

    /// Lends the frame, or a copy of its header where ticks or picture type must change.
    private func send(_ frame: Frame) -> Int32 {
        let raw = frame.avFrame.pointee
        let isPlain = raw.nb_samples > 0 || raw.pict_type == AV_PICTURE_TYPE_NONE
        if isPlain, frame.timeBase == timeBase || frame.pts == nil {
            return avcodec_send_frame(context, frame.avFrame)
        }
        guard let copy = av_frame_clone(frame.avFrame) else { fatalError("out of memory") }
        var owned: UnsafeMutablePointer<AVFrame>? = copy
        defer { av_frame_free(&owned) }
        copy.pointee.pict_type = AV_PICTURE_TYPE_NONE
        copy.pointee.pts =
            frame.pts.map { frame.timeBase.rescale($0, to: timeBase) }
            ?? mk_av_nopts_value
        return avcodec_send_frame(context, copy)
    }
}

extension LibAVEncoder {
    /// The encoder of this name, or else FFmpeg's choice for a codec of this name; the latter too
    /// where the former is an experiment, as `vorbis` and `opus` are beside `libvorbis`, `libopus`.
    static func codec(_ name: String) throws(MediaError) -> UnsafePointer<AVCodec> {
        let named = avcodec_find_encoder_by_name(name)
        if let named, !named.isExperimental { return named }
        if let descriptor = avcodec_descriptor_get_by_name(name),
            let codec = avcodec_find_encoder(descriptor.pointee.id)
        {
            return codec
        }
        if let named { return named }
        throw MediaError(
            .encoderNotFound,
            "no encoder '\(name)'\(Suggestion.sentence(for: name, among: encoderNames))")
    }

    static var encoderNames: [String] {
        var names: [String] = []
        var state: UnsafeMutableRawPointer?
        while let codec = av_codec_iterate(&state) {
            if av_codec_is_encoder(codec) != 0 { names.append(String(cString: codec.pointee.name)) }
        }
        return names
    }

    /// Opens the encoder at the bit rate that is asked for, or else at the usual one where it can
    /// have that at this sample rate, and at its own choice where not.
    private static func open(
        _ codec: UnsafePointer<AVCodec>, _ request: EncoderRequest
    ) throws(MediaError) -> UnsafeMutablePointer<AVCodecContext> {
        let bitRate = request.bitRate ?? request.usualBitRate
        do {
            return try open(codec, request, bitRate: bitRate)
        } catch {
            guard error.code != .badArgument, let bitRate, let audio = request.audio,
                let other = try? open(codec, request, bitRate: nil)
            else { throw error }
            guard request.bitRate != nil else { return other }
            var owned: UnsafeMutablePointer<AVCodecContext>? = other
            avcodec_free_context(&owned)
            throw MediaError(
                .badArgument,
                "encoder \(request.name) can't make \(bitRate) bit/s of \(audio); choose another bit "
                    + "rate (--audio-bitrate), or none for the encoder's own choice",
                underlying: error.underlying)
        }
    }

    private static func open(
        _ codec: UnsafePointer<AVCodec>, _ request: EncoderRequest, bitRate: Int?
    ) throws(MediaError) -> UnsafeMutablePointer<AVCodecContext> {
        guard let context = avcodec_alloc_context3(codec) else { fatalError("out of memory") }
        do {
            try setUp(context, codec, request, bitRate: bitRate)
            return context
        } catch {
            var owned: UnsafeMutablePointer<AVCodecContext>? = context
            avcodec_free_context(&owned)
            throw error
        }
    }

    private static func setUp(
        _ context: UnsafeMutablePointer<AVCodecContext>, _ codec: UnsafePointer<AVCodec>,
        _ request: EncoderRequest, bitRate: Int?
    ) throws(MediaError) {
        if let audio = request.audio {
            context.pointee.sample_fmt = av_get_sample_fmt(audio.sampleFormat.rawValue)
            context.pointee.sample_rate = Int32(audio.sampleRate)
            audio.layout.withAVLayout {
                _ = av_channel_layout_copy(&context.pointee.ch_layout, &$0)
            }
            context.pointee.time_base = AVRational(num: 1, den: Int32(audio.sampleRate))
            let width = Int32(audio.sampleFormat.bytesPerSample * 8)
            context.pointee.bits_per_raw_sample = min(
                width, Int32(clamping: request.bitsPerRawSample ?? 0))
        }
        if let video = request.video {
            let rate = request.frameRate ?? Ratio(25, 1)
            context.pointee.width = Int32(video.width)
            context.pointee.height = Int32(video.height)
            context.pointee.pix_fmt = av_get_pix_fmt(video.pixelFormat)
            context.pointee.sample_aspect_ratio = AVRational(
                num: video.sampleAspectRatio.numerator, den: video.sampleAspectRatio.denominator)
            context.pointee.framerate = AVRational(num: rate.numerator, den: rate.denominator)
            context.pointee.time_base = AVRational(num: rate.denominator, den: rate.numerator)
        }
        if let traits = request.traits {
            context.pointee.color_range = traits.range
            context.pointee.color_primaries = traits.primaries
            context.pointee.color_trc = traits.transfer
            context.pointee.colorspace = traits.matrix
            context.pointee.chroma_sample_location = traits.chromaLocation
            context.pointee.field_order = traits.fieldOrder
        }
        if let bitRate { context.pointee.bit_rate = Int64(bitRate) }
        if request.wantsGlobalHeader { context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
        context.pointee.thread_count = Int32(request.threads)
        let format = request.audio?.description ?? request.video?.description ?? "no format"
        var options = AVDictionaryHandle(request.options)
        let (result, complaints) = AVLogBridge.collecting {
            options.lend { avcodec_open2(context, codec, &$0) }
        }
        if result < 0 {
            let reason = complaints.last.map { " (\($0.withoutLogPrefix))" } ?? ""
            let error = MediaError.av(
                result, "open encoder \(request.name) for \(format)", else: .encodeFailed)
            throw MediaError(error.code, error.message + reason, underlying: error.underlying)
        }
        if let unknown = options.names.first {
            let known = FilterCatalogue.options(codec.pointee.priv_class).map(\.name)
            throw MediaError(
                .badArgument,
                "encoder \(request.name): no option '\(unknown)'"
                    + Suggestion.sentence(for: unknown, among: known))
        }
    }
}

@available(*, unavailable)
extension LibAVEncoder: Sendable {}

extension AVPixelFormat {
    /// Whether pictures of both formats take the same room, as those that differ in range do.
    fileprivate func isLaidOut(like other: AVPixelFormat) -> Bool {
        if self == other { return true }
        guard let mine = av_pix_fmt_desc_get(self)?.pointee,
            let its = av_pix_fmt_desc_get(other)?.pointee
        else { return false }
        return mine.nb_components == its.nb_components
            && mine.log2_chroma_w == its.log2_chroma_w && mine.log2_chroma_h == its.log2_chroma_h
            && mine.comp.0.step == its.comp.0.step && mine.comp.1.plane == its.comp.1.plane
            && mine.flags == its.flags
    }
}

extension UnsafePointer<AVCodec> {
    /// Whether FFmpeg only opens it where it is told that experiments are fine.
    var isExperimental: Bool { pointee.capabilities & Int32(AV_CODEC_CAP_EXPERIMENTAL) != 0 }
}
