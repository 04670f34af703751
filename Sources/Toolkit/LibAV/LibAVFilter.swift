// libavfilter text and format conversion as filters of sound.

internal import CFFmpeg
package import MediaCore
package import MediaModel

/// Any libavfilter graph with one input and one output of sound.
///
/// - Shape: what the graph says; conversions inside are those of FFmpeg's command line.
/// - Latency: unknown; what the graph holds back comes with its time.
/// - Threading: confined.
package final class LibAVFilter: AudioFilter {
    private let text: String
    private let specs: [OptionSpec]?
    private var graph: AudioGraph?
    private var formats: (input: AudioFormat, accepted: AudioFormatSet)?
    private var commands: [(target: String, name: String, value: String)] = []

    /// Takes text that was checked.
    package init(_ text: String) {
        AVLogBridge.install()
        self.text = text
        let filters = FilterText.filters(of: text)
        specs =
            filters.count == 1 ? filters.first.flatMap { FilterCatalogue.describe($0.name) } : nil
    }

    /// Builds the graph.
    package func configure(
        _ input: AudioFormat, accepting output: AudioFormatSet
    ) throws(MediaError) -> AudioFormat {
        formats = (input, output)
        return try build(input, output).output
    }

    /// Runs the graph.
    package func process(
        _ input: Frame?, emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard let formats else {
            throw MediaError(.invalidState, "filter \(text): no format was given")
        }
        if input == nil, graph == nil { return }
        let graph = try running(formats.input, formats.accepted)
        try graph.send(input)
        while let frame = try graph.receive() { try emit(frame) }
        if input == nil { self.graph = nil }
    }

    /// Sends commands where the text is one filter and its options take them.
    package func update(_ options: Options) throws(MediaError) -> FilterUpdate {
        guard let specs, let target = FilterText.filters(of: text).first else {
            return .ignored(["a graph of several filters can't be changed while playing"])
        }
        var ignored: [String] = []
        for (name, value) in options.given.sorted(by: { $0.key < $1.key }) {
            if specs.first(where: { $0.name == name })?.isLive == true {
                try command(target.title, name, value.description)
            } else {
                ignored.append("\(name): FFmpeg can't change it while playing")
            }
        }
        return ignored.isEmpty ? .applied : .ignored(ignored)
    }

    /// Sends a command to a filter of the graph by its name there (`volume`, `volume@mine`); it
    /// stays in effect after a flush.
    ///
    /// - Throws: `bad-argument` where the filter doesn't take it.
    package func command(
        _ target: String, _ name: String, _ value: String
    ) throws(MediaError) {
        try graph?.command(target, name, value)
        commands.removeAll { $0.target == target && $0.name == name }
        commands.append((target, name, value))
    }

    /// Drops the graph; the next frame builds it anew.
    package func flush() { graph = nil }

    private func running(
        _ input: AudioFormat, _ accepted: AudioFormatSet
    ) throws(MediaError) -> AudioGraph {
        if let graph { return graph }
        return try build(input, accepted)
    }

    private func build(
        _ input: AudioFormat, _ accepted: AudioFormatSet
    ) throws(MediaError) -> AudioGraph {
        let made = try AudioGraph(text, input, accepting: accepted)
        for command in commands {
            try made.command(command.target, command.name, command.value)
        }
        graph = made
        return made
    }
}

@available(*, unavailable)
extension LibAVFilter: Sendable {}

/// Converts sound to an accepted format; frames that are in one pass untouched.
///
/// - Shape: rate, layout and sample format change where they must.
/// - Latency: what FFmpeg's resampler holds back, some milliseconds.
/// - Threading: confined.
package final class LibAVConverter: AudioFilter {
    private let graph = LibAVFilter("anull")
    private var samples: SampleConverter?
    private var isPassing = true

    /// Makes a converter that knows no format yet.
    package init() {}

    /// Decides whether there is anything to convert.
    package func configure(
        _ input: AudioFormat, accepting output: AudioFormatSet
    ) throws(MediaError) -> AudioFormat {
        isPassing = output.contains(input)
        samples = nil
        guard !isPassing else { return input }
        let format = try graph.configure(input, accepting: output)
        samples = SampleConverter(input, to: format)
        if samples != nil { graph.flush() }
        return format
    }

    /// Converts.
    package func process(
        _ input: Frame?, emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        if let samples {
            if let input { try emit(try samples.convert(input)) }
        } else if isPassing {
            if let input { try emit(input) }
        } else {
            try graph.process(input, emit: emit)
        }
    }

    /// Drops what the resampler holds.
    package func flush() { graph.flush() }
}

@available(*, unavailable)
extension LibAVConverter: Sendable {}
