// Filters in a row, with the conversions between them.

package import MediaCore
package import MediaModel

/// Makes the converter that stands where formats differ; nil where none is registered.
package typealias ConverterFactory = () -> (any AudioFilter)?

/// Runs frames through filters one behind the other and converts where one needs another format.
package final class FilterPath {
    /// The format that goes in.
    package private(set) var input: AudioFormat
    /// The format that comes out.
    package private(set) var output: AudioFormat

    private let filters: [any AudioFilter]
    private let makeConverter: ConverterFactory
    private let stop: CancellationToken
    private var machines: [any AudioFilter] = []

    /// Puts `filters` in a row; the last one, or a converter, gives a format in `accepting`.
    ///
    /// `stop` ends the call that is under way with `cancelled`, even where a filter never stops
    /// emitting.
    ///
    /// - Throws: `filter-failed` where a filter refuses its input or no conversion is possible.
    package init(
        _ filters: [any AudioFilter], input: AudioFormat, accepting: AudioFormatSet,
        makeConverter: @escaping ConverterFactory,
        stop: CancellationToken = CancellationToken()
    ) throws(MediaError) {
        self.filters = filters
        self.input = input
        self.makeConverter = makeConverter
        self.stop = stop
        output = input
        try configure(input, accepting: accepting)
    }

    /// Takes another input format, after a drain.
    package func configure(
        _ input: AudioFormat, accepting: AudioFormatSet
    ) throws(MediaError) {
        self.input = input
        machines = []
        var format = input
        for (index, filter) in filters.enumerated() {
            format = try convert(format, to: filter.acceptedInput)
            let isLast = index == filters.count - 1
            format = try filter.configure(
                format, accepting: isLast ? accepting : AudioFormatSet())
            machines.append(filter)
        }
        output = try convert(format, to: accepting)
    }

    /// The filter that options are changed on; nil where sound only passes.
    package var head: (any AudioFilter)? { filters.first }

    /// How much media time is held back at most.
    package var latency: MediaTime { machines.reduce(.zero) { $0 + $1.latency } }

    /// Takes a frame, or nil to drain.
    package func process(
        _ frame: Frame?, emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        try run(0, frame, emit)
    }

    /// Drops what is buffered.
    package func flush() {
        for machine in machines { machine.flush() }
    }

    private func run(
        _ index: Int, _ frame: Frame?, _ emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard index < machines.count else {
            if let frame { try emit(frame) }
            return
        }
        try machines[index].process(frame) { next throws(MediaError) in
            try stop.check()
            try run(index + 1, next, emit)
        }
        if frame == nil { try run(index + 1, nil, emit) }
    }

    private func convert(
        _ format: AudioFormat, to wanted: AudioFormatSet
    ) throws(MediaError) -> AudioFormat {
        if wanted.contains(format) { return format }
        guard let converter = makeConverter() else {
            throw MediaError(.filterFailed, "\(format) can't be converted: no converter is on")
        }
        let result = try converter.configure(format, accepting: wanted)
        machines.append(converter)
        return result
    }
}

extension AudioFormatSet {
    /// Exactly one format.
    package init(only format: AudioFormat) {
        self.init(
            sampleFormats: [format.sampleFormat], sampleRates: [format.sampleRate],
            layouts: [format.layout])
    }
}
