// A libavfilter graph and its ends, whatever flows through it.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// An `AVFilterGraph` that one object owns, with the text it was made of.
///
/// Runs on the calling thread alone, so that results don't depend on the machine. Threading:
/// confined.
final class FilterGraph {
    /// An open end of the text: a pad that nothing is linked to.
    struct Pad {
        let filter: UnsafeMutablePointer<AVFilterContext>
        let index: UInt32
        let label: String?
        let type: AVMediaType
    }

    let text: String
    private(set) var inputs: [Pad] = []
    private(set) var outputs: [Pad] = []
    private var graph: UnsafeMutablePointer<AVFilterGraph>?

    /// Reads `text`; `bad-argument` with FFmpeg's own complaint where it makes no sense.
    init(_ text: String) throws(MediaError) {
        self.text = text
        guard let graph = avfilter_graph_alloc() else { fatalError("out of memory") }
        self.graph = graph
        graph.pointee.nb_threads = 1
        var inputs: UnsafeMutablePointer<AVFilterInOut>?
        var outputs: UnsafeMutablePointer<AVFilterInOut>?
        let (result, complaints) = AVLogBridge.collecting {
            avfilter_graph_parse2(graph, text, &inputs, &outputs)
        }
        defer {
            avfilter_inout_free(&inputs)
            avfilter_inout_free(&outputs)
        }
        if result < 0 { throw refusal(result, complaints, .badArgument) }
        self.inputs = FilterGraph.pads(inputs, isOutput: false)
        self.outputs = FilterGraph.pads(outputs, isOutput: true)
    }

    deinit { avfilter_graph_free(&graph) }

    /// Adds a filter of the toolkit's own.
    func add(
        _ kind: String, named name: String, _ arguments: String
    ) throws(MediaError) -> UnsafeMutablePointer<AVFilterContext> {
        var filter: UnsafeMutablePointer<AVFilterContext>?
        let (result, complaints) = AVLogBridge.collecting {
            avfilter_graph_create_filter(
                &filter, avfilter_get_by_name(kind), name, arguments, nil, graph)
        }
        guard result >= 0, let filter else { throw refusal(result, complaints, .filterFailed) }
        return filter
    }

    /// Joins an output to an input.
    func link(
        _ source: UnsafeMutablePointer<AVFilterContext>, _ output: UInt32,
        _ target: UnsafeMutablePointer<AVFilterContext>, _ input: UInt32
    ) throws(MediaError) {
        let (result, complaints) = AVLogBridge.collecting {
            avfilter_link(source, output, target, input)
        }
        if result < 0 { throw refusal(result, complaints, .filterFailed) }
    }

    /// Negotiates the formats.
    func configure() throws(MediaError) {
        let (result, complaints) = AVLogBridge.collecting { avfilter_graph_config(graph, nil) }
        if result < 0 { throw refusal(result, complaints, .filterFailed) }
    }

    /// Sends a command to the filters of this name or instance name (`all` for each).
    ///
    /// - Throws: `bad-argument` where no filter takes it.
    func command(_ target: String, _ name: String, _ value: String) throws(MediaError) {
        let (result, complaints) = AVLogBridge.collecting {
            avfilter_graph_send_command(graph, target, name, value, nil, 0, 0)
        }
        if result < 0 {
            let reason = complaints.first.map { ": \($0.withoutLogPrefix)" } ?? ""
            throw MediaError(
                .badArgument, "filter \(target): can't set \(name) to '\(value)'\(reason)",
                underlying: .init(.av, Int(result)))
        }
    }

    private func refusal(
        _ result: Int32, _ complaints: [String], _ code: MediaError.Code
    ) -> MediaError {
        guard let reason = complaints.first?.withoutLogPrefix else {
            return .av(result, "filter \(text)", else: code)
        }
        return MediaError(
            code, "filter \(text): \(reason.prefix(1).lowercased() + reason.dropFirst())",
            underlying: .init(.av, Int(result)))
    }

    private static func pads(
        _ list: UnsafeMutablePointer<AVFilterInOut>?, isOutput: Bool
    ) -> [Pad] {
        var pads: [Pad] = []
        var next = list
        while let entry = next {
            if let filter = entry.pointee.filter_ctx {
                let all = isOutput ? filter.pointee.output_pads : filter.pointee.input_pads
                pads.append(
                    Pad(
                        filter: filter, index: UInt32(entry.pointee.pad_idx),
                        label: entry.pointee.name.map { String(cString: $0) },
                        type: avfilter_pad_get_type(all, entry.pointee.pad_idx)))
            }
            next = entry.pointee.next
        }
        return pads
    }
}
