// Pictures into another pixel format.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// Converts pictures by libavfilter's `format`, as FFmpeg's command line does.
///
/// Threading: confined.
final class LibAVVideoConverter: VideoConverter {
    private struct Setup: Equatable {
        var format: VideoFormat
        var timeBase: TimeBase
        var range: UInt32
        var space: UInt32
    }

    private struct Machine {
        var graph: FilterGraph
        var source: UnsafeMutablePointer<AVFilterContext>
        var sink: UnsafeMutablePointer<AVFilterContext>
        var setup: Setup
    }

    private let pixelFormats: [String]
    private var machine: Machine?

    init(_ pixelFormats: [String]) {
        AVLogBridge.install()
        self.pixelFormats = pixelFormats
    }

    func convert(_ frame: Frame) throws(MediaError) -> Frame {
        guard let format = frame.videoFormat else {
            throw MediaError(.invalidState, "convert a picture: this is sound")
        }
        if pixelFormats.isEmpty || pixelFormats.contains(format.pixelFormat) { return frame }
        let setup = Setup(
            format: format, timeBase: frame.timeBase,
            range: frame.avFrame.pointee.color_range.rawValue,
            space: frame.avFrame.pointee.colorspace.rawValue)
        let machine = try running(setup)
        let action = "convert pictures from \(format) to \(pixelFormats.joined(separator: "|"))"
        try avCheck(
            av_buffersrc_add_frame_flags(
                machine.source, frame.avFrame, Int32(AV_BUFFERSRC_FLAG_KEEP_REF)),
            action, else: .filterFailed)
        guard let converted = av_frame_alloc() else { fatalError("out of memory") }
        let result = av_buffersink_get_frame(machine.sink, converted)
        let output = Frame(owning: converted, timeBase: frame.timeBase)
        try avCheck(result, action, else: .filterFailed)
        return output
    }

    private func running(_ setup: Setup) throws(MediaError) -> Machine {
        if let machine, machine.setup == setup { return machine }
        return try make(setup)
    }

    private func make(_ setup: Setup) throws(MediaError) -> Machine {
        let graph = try FilterGraph("format=pix_fmts=\(pixelFormats.joined(separator: "|"))")
        guard let input = graph.inputs.first, let output = graph.outputs.first else {
            throw MediaError(.internalError, "a format filter without ends")
        }
        let shape = setup.format.sampleAspectRatio
        let source = try graph.add(
            "buffer", named: "mediakit_in",
            "video_size=\(setup.format.width)x\(setup.format.height)"
                + ":pix_fmt=\(setup.format.pixelFormat):time_base=\(setup.timeBase)"
                + ":pixel_aspect=\(shape.numerator)/\(max(1, shape.denominator))")
        let sink = try graph.add("buffersink", named: "mediakit_out", "")
        try graph.link(source, 0, input.filter, input.index)
        try graph.link(output.filter, output.index, sink, 0)
        try graph.configure()
        let made = Machine(graph: graph, source: source, sink: sink, setup: setup)
        machine = made
        return made
    }
}

@available(*, unavailable)
extension LibAVVideoConverter: Sendable {}
