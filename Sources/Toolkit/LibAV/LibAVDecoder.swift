// Packets into frames.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// One of FFmpeg's decoders.
///
/// Frames count in the stream's own ticks. Threading: confined.
final class LibAVDecoder: Decoder {
    private let title: String
    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var timestamps: FrameTimestamps

    /// Opens a decoder of `stream`.
    ///
    /// - Parameter prepare: changes the context before it is opened.
    init(
        _ stream: StreamInfo, threads: Int,
        prepare: (UnsafeMutablePointer<AVCodecContext>) -> Void = { _ in }
    ) throws(MediaError) {
        let parameters = stream.parameters
        title = "\(stream.kind.rawValue) stream \(stream.index) (\(parameters.codecName))"
        timestamps = FrameTimestamps(stream.timeBase)
        guard let codec = avcodec_find_decoder(parameters.avParameters.pointee.codec_id) else {
            throw MediaError(.decoderNotFound, "\(title): no decoder")
        }
        guard let context = avcodec_alloc_context3(codec) else { fatalError("out of memory") }
        self.context = context
        try avCheck(
            avcodec_parameters_to_context(context, parameters.avParameters),
            "decode \(title)", else: .decodeFailed)
        context.pointee.ch_layout.order()
        context.pointee.pkt_timebase = stream.timeBase.rational
        context.pointee.thread_count = Int32(threads)
        prepare(context)
        try avCheck(
            avcodec_open2(context, codec, nil), "open decoder of \(title)", else: .decodeFailed)
    }

    deinit { avcodec_free_context(&context) }

    /// The format of pictures that are decoded without a device.
    var softwareFormat: AVPixelFormat { context?.pointee.sw_pix_fmt ?? AV_PIX_FMT_NONE }

    func send(_ packet: Packet?) throws(MediaError) {
        let result = avcodec_send_packet(context, packet?.avPacket)
        if result == AVResult.end { return }
        if result < 0 {
            let place = packet?.time.map { " at \($0)" } ?? ""
            throw .av(result, "decode \(title)\(place)", else: .decodeFailed)
        }
    }

    func receive() throws(MediaError) -> Pull<Frame> {
        guard let frame = av_frame_alloc() else { fatalError("out of memory") }
        let result = avcodec_receive_frame(context, frame)
        guard result >= 0 else {
            var frame: UnsafeMutablePointer<AVFrame>? = frame
            av_frame_free(&frame)
            if result == AVResult.again { return .needsInput }
            if result == AVResult.end { return .endOfStream }
            throw .av(result, "decode \(title)", else: .decodeFailed)
        }
        frame.pointee.ch_layout.order()
        return .value(timestamps.stamp(frame))
    }

    func flush() {
        avcodec_flush_buffers(context)
        context?.pointee.flags &= ~mk_codec_flag_output_corrupt
        timestamps.reset()
    }
}

extension AVChannelLayout {
    /// Gives channels without places the usual ones, as FFmpeg's command line does.
    fileprivate mutating func order() {
        if order == AV_CHANNEL_ORDER_UNSPEC, nb_channels > 0 {
            av_channel_layout_default(&self, nb_channels)
        }
    }
}

@available(*, unavailable)
extension LibAVDecoder: Sendable {}
