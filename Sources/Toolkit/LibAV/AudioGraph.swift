// Sound through a libavfilter graph, formats negotiated as on FFmpeg's command line.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// A configured graph with one input and one output of sound.
///
/// Threading: confined.
final class AudioGraph {
    /// What comes out.
    let output: AudioFormat
    private let graph: FilterGraph
    private let inputTicks: TimeBase
    private let outputTicks: TimeBase
    private let source: UnsafeMutablePointer<AVFilterContext>
    private let sink: UnsafeMutablePointer<AVFilterContext>

    /// Builds and configures; the output is in one of the accepted formats.
    init(
        _ text: String, _ input: AudioFormat, accepting accepted: AudioFormatSet
    ) throws(MediaError) {
        graph = try FilterGraph(text)
        let ends = try graph.soundEnds()
        inputTicks = TimeBase(1, Int32(input.sampleRate))
        source = try graph.add(
            "abuffer", named: "mediakit_in",
            "time_base=\(inputTicks):sample_rate=\(input.sampleRate)"
                + ":sample_fmt=\(input.sampleFormat.rawValue):channel_layout=\(input.layout.name)")
        try graph.link(source, 0, ends.input.filter, ends.input.index)
        sink = try graph.add("abuffersink", named: "mediakit_out", "")
        if let wanted = accepted.graphArguments {
            let tail = try graph.add("aformat", named: "mediakit_format", wanted)
            try graph.link(ends.output.filter, ends.output.index, tail, 0)
            try graph.link(tail, 0, sink, 0)
        } else {
            try graph.link(ends.output.filter, ends.output.index, sink, 0)
        }
        try graph.configure()
        let ticks = av_buffersink_get_time_base(sink)
        outputTicks = TimeBase(ticks.num, ticks.den)
        output = try AudioFormat(of: sink, text: text)
    }

    /// Takes a frame, or nil to drain.
    func send(_ frame: Frame?) throws(MediaError) {
        guard let frame else {
            let result = av_buffersrc_add_frame_flags(source, nil, 0)
            try avCheck(result, "drain filter \(graph.text)", else: .filterFailed)
            return
        }
        let isInTicks = frame.timeBase == inputTicks || frame.pts == nil
        let stamped =
            isInTicks
            ? frame
            : frame.stamped(
                pts: frame.pts.map { frame.timeBase.rescale($0, to: inputTicks) },
                timeBase: inputTicks)
        let result = av_buffersrc_add_frame_flags(
            source, stamped.avFrame, Int32(AV_BUFFERSRC_FLAG_KEEP_REF))
        try avCheck(result, "filter \(graph.text)", else: .filterFailed)
    }

    /// The next frame that is ready; nil where more input is wanted and at the end.
    func receive() throws(MediaError) -> Frame? {
        guard let frame = av_frame_alloc() else { fatalError("out of memory") }
        let result = av_buffersink_get_frame(sink, frame)
        if result >= 0 { return Frame(owning: frame, timeBase: outputTicks) }
        var owned: UnsafeMutablePointer<AVFrame>? = frame
        av_frame_free(&owned)
        if result == AVResult.again || result == AVResult.end { return nil }
        throw .av(result, "filter \(graph.text)", else: .filterFailed)
    }

    /// Sends a command to a filter by its name in the text (`volume`, `volume@mine`).
    func command(_ target: String, _ name: String, _ value: String) throws(MediaError) {
        try graph.command(target, name, value)
    }
}

extension FilterGraph {
    /// The one open input and the one open output, where both carry sound.
    func soundEnds() throws(MediaError) -> (input: Pad, output: Pad) {
        guard inputs.count == 1, outputs.count == 1, let input = inputs.first,
            let output = outputs.first
        else {
            let counts = "\(inputs.count) in, \(outputs.count) out"
            throw MediaError(
                .badArgument,
                "filter \(text): a chain needs one open input and one open output, this has "
                    + "\(counts); join the others by [labels]")
        }
        guard input.type == AVMEDIA_TYPE_AUDIO, output.type == AVMEDIA_TYPE_AUDIO else {
            throw MediaError(.badArgument, "filter \(text): this is no filter of sound")
        }
        return (input, output)
    }
}

extension AudioFormat {
    /// What a configured sink gives.
    init(of sink: UnsafeMutablePointer<AVFilterContext>, text: String) throws(MediaError) {
        var layout = AVChannelLayout()
        defer { av_channel_layout_uninit(&layout) }
        let format = av_get_sample_fmt_name(AVSampleFormat(av_buffersink_get_format(sink)))
        guard av_buffersink_get_ch_layout(sink, &layout) >= 0, let format,
            let sampleFormat = SampleFormat(rawValue: String(cString: format))
        else {
            throw MediaError(.filterFailed, "filter \(text): it gives a format nobody knows")
        }
        self.init(
            sampleRate: Int(av_buffersink_get_sample_rate(sink)),
            layout: ChannelLayout(copying: layout), sampleFormat: sampleFormat)
    }
}

extension AudioFormatSet {
    /// The set as options of `aformat`; nil where it holds every format.
    var graphArguments: String? {
        var parts: [String] = []
        func add(_ name: String, _ values: [String]) {
            if !values.isEmpty { parts.append("\(name)=\(values.joined(separator: "|"))") }
        }
        add("sample_fmts", sampleFormats.map(\.rawValue))
        add("sample_rates", sampleRates.map(String.init))
        add("channel_layouts", layouts.map(\.name))
        return parts.isEmpty ? nil : parts.joined(separator: ":")
    }
}
