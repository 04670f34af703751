// A libavfilter graph without inputs, pulled in the order of time.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// Runs a graph of sources and packs its frames without compressing them.
///
/// Threading: confined.
final class SynthGraph {
    /// One open output with its sink.
    struct Output {
        let sink: UnsafeMutablePointer<AVFilterContext>
        let timeBase: TimeBase
        let parameters: CodecParameters
        let frameRate: Ratio?
        var waiting: Frame?
        var isDrained = false
        var lastEnd: Int64 = 0

        /// The stream as a medium announces it.
        func stream(index: Int) -> StreamInfo {
            StreamInfo(
                index: index, parameters: parameters, timeBase: timeBase, startTicks: 0,
                frameRate: frameRate, disposition: index == 0 ? AV_DISPOSITION_DEFAULT : 0)
        }
    }

    private let graph: FilterGraph
    private(set) var outputs: [Output] = []

    /// Checks, builds and configures.
    init(_ text: String) throws(MediaError) {
        graph = try FilterText.check(text)
        guard graph.inputs.isEmpty else {
            throw MediaError(
                .badArgument,
                "synth:\(text): a filter waits for input; begin with a source such as sine")
        }
        guard !graph.outputs.isEmpty else {
            throw MediaError(.badArgument, "synth:\(text): nothing comes out")
        }
        let pads = graph.outputs.enumerated().sorted {
            (SynthGraph.number($1.element) ?? $1.offset)
                > (SynthGraph.number($0.element) ?? $0.offset)
        }.map(\.element)
        var sinks: [UnsafeMutablePointer<AVFilterContext>] = []
        for (index, pad) in pads.enumerated() { sinks.append(try addSink(pad, index)) }
        try graph.configure()
        for sink in sinks { outputs.append(try Output(sink, text)) }
    }

    /// The next packet in the order of time and its stream; nil when every output is drained.
    func next() throws(MediaError) -> (Packet, Int)? {
        for index in outputs.indices where outputs[index].waiting == nil {
            try fill(index)
        }
        var earliest: (index: Int, time: MediaTime)?
        for (index, output) in outputs.enumerated() {
            guard let time = output.waiting?.time else { continue }
            if earliest.map({ time < $0.time }) ?? true { earliest = (index, time) }
        }
        guard let index = earliest?.index, let frame = outputs[index].waiting else { return nil }
        outputs[index].waiting = nil
        return (try pack(frame, index), index)
    }

    private func fill(_ index: Int) throws(MediaError) {
        guard !outputs[index].isDrained else { return }
        guard let raw = av_frame_alloc() else { fatalError("out of memory") }
        let result = av_buffersink_get_frame(outputs[index].sink, raw)
        let frame = Frame(owning: raw, timeBase: outputs[index].timeBase)
        if result == AVResult.end {
            outputs[index].isDrained = true
            return
        }
        try avCheck(result, "run synth:\(graph.text)", else: .filterFailed)
        if raw.pointee.pts == mk_av_nopts_value { raw.pointee.pts = outputs[index].lastEnd }
        outputs[index].waiting = frame
    }

    private func addSink(
        _ pad: FilterGraph.Pad, _ index: Int
    ) throws(MediaError) -> UnsafeMutablePointer<AVFilterContext> {
        guard pad.type == AVMEDIA_TYPE_AUDIO else {
            let sink = try graph.add("buffersink", named: "mediakit_out\(index)", "")
            try graph.link(pad.filter, pad.index, sink, 0)
            return sink
        }
        // Packets hold one run of bytes, so the samples are interleaved.
        let packed = try graph.add(
            "aformat", named: "mediakit_format\(index)", "sample_fmts=u8|s16|s32|flt|dbl")
        let sink = try graph.add("abuffersink", named: "mediakit_out\(index)", "")
        try graph.link(pad.filter, pad.index, packed, 0)
        try graph.link(packed, 0, sink, 0)
        return sink
    }

    private static func number(_ pad: FilterGraph.Pad) -> Int? {
        guard let label = pad.label, label.hasPrefix("out") else { return nil }
        return Int(label.dropFirst(3))
    }

    private func pack(_ frame: Frame, _ index: Int) throws(MediaError) -> Packet {
        let raw = frame.avFrame.pointee
        let size: Int32
        let duration: Int64
        if raw.nb_samples > 0 {
            let width = av_get_bytes_per_sample(AVSampleFormat(raw.format))
            size = raw.nb_samples * raw.ch_layout.nb_channels * width
            duration = TimeBase(1, raw.sample_rate).rescale(
                Int64(raw.nb_samples), to: frame.timeBase)
        } else {
            size = av_image_get_buffer_size(AVPixelFormat(raw.format), raw.width, raw.height, 1)
            duration = max(mk_frame_duration(frame.avFrame), outputs[index].ticksOfFrame)
        }
        guard let packet = av_packet_alloc() else { fatalError("out of memory") }
        let result = Packet(owning: packet, timeBase: frame.timeBase)
        try avCheck(av_new_packet(packet, size), "run synth:\(graph.text)", else: .filterFailed)
        if raw.nb_samples > 0 {
            UnsafeMutableRawBufferPointer(start: packet.pointee.data, count: Int(size)).copyMemory(
                from: UnsafeRawBufferPointer(start: raw.data.0, count: Int(size)))
        } else {
            try avCheck(
                frame.copyPicture(to: packet.pointee.data, size), "run synth:\(graph.text)",
                else: .filterFailed)
        }
        packet.pointee.pts = raw.pts
        packet.pointee.dts = raw.pts
        packet.pointee.duration = duration
        packet.pointee.stream_index = Int32(index)
        packet.pointee.flags = AV_PKT_FLAG_KEY
        outputs[index].lastEnd = raw.pts + duration
        return result
    }
}

extension SynthGraph.Output {
    fileprivate init(
        _ sink: UnsafeMutablePointer<AVFilterContext>, _ text: String
    ) throws(MediaError) {
        var raw = avcodec_parameters_alloc()
        defer { avcodec_parameters_free(&raw) }
        guard let made = raw else { fatalError("out of memory") }
        let ticks = av_buffersink_get_time_base(sink)
        let rate = av_buffersink_get_frame_rate(sink)
        made.pointee.format = av_buffersink_get_format(sink)
        if av_buffersink_get_type(sink) == AVMEDIA_TYPE_AUDIO {
            made.pointee.codec_type = AVMEDIA_TYPE_AUDIO
            made.pointee.codec_id = av_get_pcm_codec(AVSampleFormat(made.pointee.format), -1)
            made.pointee.sample_rate = av_buffersink_get_sample_rate(sink)
            av_buffersink_get_ch_layout(sink, &made.pointee.ch_layout)
            frameRate = nil
        } else {
            let shape = av_buffersink_get_sample_aspect_ratio(sink)
            made.pointee.codec_type = AVMEDIA_TYPE_VIDEO
            made.pointee.codec_id = AV_CODEC_ID_RAWVIDEO
            made.pointee.width = av_buffersink_get_w(sink)
            made.pointee.height = av_buffersink_get_h(sink)
            made.pointee.sample_aspect_ratio = shape
            made.pointee.codec_tag = avcodec_pix_fmt_to_codec_tag(
                AVPixelFormat(made.pointee.format))
            frameRate = rate.num > 0 && rate.den > 0 ? Ratio(rate.num, rate.den) : nil
        }
        self.sink = sink
        timeBase = TimeBase(ticks.num, ticks.den)
        parameters = CodecParameters(copying: made)
    }

    /// How many ticks a picture lasts by the frame rate; 0 where that is unknown.
    fileprivate var ticksOfFrame: Int64 {
        guard let frameRate else { return 0 }
        return TimeBase(frameRate.denominator, frameRate.numerator).rescale(1, to: timeBase)
    }
}

extension Frame {
    /// Packs the planes of a picture into one run of bytes.
    fileprivate func copyPicture(to bytes: UnsafeMutablePointer<UInt8>?, _ size: Int32) -> Int32 {
        let raw = avFrame.pointee
        return withUnsafePointer(to: raw.data) { data in
            data.withMemoryRebound(to: UnsafePointer<UInt8>?.self, capacity: 8) { planes in
                withUnsafePointer(to: raw.linesize) { lines in
                    lines.withMemoryRebound(to: Int32.self, capacity: 8) { strides in
                        av_image_copy_to_buffer(
                            bytes, size, planes, strides, AVPixelFormat(raw.format), raw.width,
                            raw.height, 1)
                    }
                }
            }
        }
    }
}
