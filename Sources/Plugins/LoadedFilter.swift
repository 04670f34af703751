// An audio filter of a loaded plugin behind the toolkit's protocol.

internal import MediaCore
internal import MediaKitPluginABI
internal import MediaModel

/// A plugin's filter table as a plugin of the registry.
struct LoadedFilterPlugin: FilterPlugin, @unchecked Sendable {
    // Unchecked: the table points to constants of the library, which this keeps loaded.
    private let part: LoadedPart
    private let table: mk_filter
    private let accepted: AudioFormatSet

    var info: PluginInfo { part.info }
    var options: [OptionSpec] { part.options }
    var origin: PluginOrigin? { part.library.origin }

    init(_ pointer: UnsafePointer<mk_filter>, _ library: PluginLibrary) throws(MediaError) {
        let table = readStruct(pointer, zero: mk_filter())
        part = try LoadedPart(
            "filter", name: table.name, summary: table.summary, rank: 0,
            options: table.options, count: table.option_count,
            isComplete: table.create != nil && table.configure != nil && table.process != nil
                && table.flush != nil && table.destroy != nil, library)
        let (path, title) = (library.origin.path, "filter '\(part.info.name)'")
        guard table.update != nil || !part.options.contains(where: \.isLive) else {
            throw unusable(path, "\(title) has live options and no update function")
        }
        accepted = try AudioFormatSet(plugin: table, owner: title, path: path)
        self.table = table
    }

    func makeFilter(_ options: Options) throws(MediaError) -> sending any AudioFilter {
        try part.library.start()
        return try LoadedFilter(table, accepted: accepted, options, part)
    }
}

/// An instance of a plugin's filter.
///
/// A filter that works in place gets the frame's own samples and hands them on; what a filter emits
/// out of memory of its own is copied. Threading: confined.
final class LoadedFilter: AudioFilter {
    let acceptedInput: AudioFormatSet
    private let library: PluginLibrary
    private let table: mk_filter
    private let title: String
    private let specs: [OptionSpec]
    private var instance: UnsafeMutableRawPointer?
    private var input: AudioFormat?
    private var run: FilterRun?

    fileprivate init(
        _ table: mk_filter, accepted: AudioFormatSet, _ options: Options, _ part: LoadedPart
    ) throws(MediaError) {
        title = "filter \(part.info.name)"
        acceptedInput = accepted
        self.table = table
        specs = part.options
        library = part.library
        let memory = PluginMemory()
        let values = options.all(specs)
        let list = memory.values(values)
        instance = try part.make(title, else: .filterFailed, damage: .filterFailed) { made in
            withExtendedLifetime(memory) {
                table.create(PluginHost.table, list, values.count, &made)
            }
        }
    }

    deinit {
        // It is none where making it failed.
        if let instance { table.destroy(instance) }
    }

    func configure(
        _ input: AudioFormat, accepting output: AudioFormatSet
    ) throws(MediaError) -> AudioFormat {
        let memory = PluginMemory()
        var taken = mk_audio_format(
            sample_rate: Int32(clamping: input.sampleRate),
            channel_count: Int32(clamping: input.channelCount),
            sample_format: memory.text(input.sampleFormat.rawValue),
            layout: memory.text(input.layout.name))
        var given = taken
        try PluginHost.require("set up \(title)", else: .filterFailed) {
            table.configure(instance, &taken, &given)
        }
        let format: AudioFormat
        do throws(MediaError) {
            format = try withExtendedLifetime(memory) { () throws(MediaError) in
                try AudioFormat(plugin: given)
            }
        } catch {
            throw MediaError(.filterFailed, "set up \(title): it gives \(error.message)")
        }
        self.input = input
        run = FilterRun(from: input, to: format, table.flags)
        return format
    }

    func process(
        _ input: Frame?, emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard let run else { throw MediaError(.invalidState, "\(title) was not set up") }
        try withoutActuallyEscaping(emit) { emit throws(MediaError) in
            run.begin(input, emit)
            defer { run.end() }
            let failure: MediaError?
            do throws(MediaError) {
                let sink = Unmanaged.passUnretained(run).toOpaque()
                let result = try PluginHost.call(title, else: .filterFailed) {
                    run.withInput { table.process(instance, $0, FilterRun.emit, sink) }
                }
                failure =
                    result == Int32(MK_OK)
                    ? nil : PluginHost.failure(result, title, else: .filterFailed)
            } catch {
                failure = error
            }
            // What stopped the output is the reason of whatever the plugin makes of it.
            if let error = run.error ?? failure { throw error }
        }
    }

    func update(_ options: Options) throws(MediaError) -> FilterUpdate {
        var values: [(name: String, value: OptionValue)] = []
        var ignored: [String] = []
        for (name, value) in options.given.sorted(by: { $0.key < $1.key }) {
            if specs.contains(where: { $0.name == name && $0.isLive }) {
                values.append((name, value))
            } else {
                ignored.append("\(name): can't be changed while playing")
            }
        }
        if !values.isEmpty, let update = table.update {
            let memory = PluginMemory()
            let list = memory.values(values)
            _ = try PluginHost.call("change \(title)", else: .filterFailed) {
                withExtendedLifetime(memory) { update(instance, list, values.count) }
            }
        }
        return ignored.isEmpty ? .applied : .ignored(ignored)
    }

    func flush() { table.flush(instance) }

    var latency: MediaTime {
        guard let input, let latency = table.latency else { return .zero }
        return TimeBase(1, Int32(input.sampleRate)).time(ticks: max(0, latency(instance)))
    }
}

/// The calls of a plugin's `process`: the input each sees and where its output goes.
private final class FilterRun {
    private let inTicks: TimeBase
    private let outTicks: TimeBase
    private let output: AudioFormat
    private let planeCount: Int
    private let isSameFormat: Bool
    private let isInPlace: Bool
    private var frame: Frame?
    private var sink: ((Frame) throws(MediaError) -> Void)?
    private var start: UnsafeMutableRawPointer?
    private(set) var error: MediaError?

    init(from input: AudioFormat, to output: AudioFormat, _ flags: UInt32) {
        inTicks = TimeBase(1, Int32(input.sampleRate))
        outTicks = TimeBase(1, Int32(output.sampleRate))
        self.output = output
        planeCount = output.sampleFormat.isPlanar ? output.channelCount : 1
        isSameFormat = input == output
        isInPlace = flags & UInt32(MK_FILTER_IN_PLACE) != 0
    }

    func begin(_ input: Frame?, _ sink: @escaping (Frame) throws(MediaError) -> Void) {
        frame = isInPlace ? input?.makeUnique() : input
        self.sink = sink
        error = nil
    }

    func end() {
        frame = nil
        sink = nil
        start = nil
    }

    func withInput(_ body: (UnsafePointer<mk_audio>?) -> Int32) -> Int32 {
        guard let frame else { return body(nil) }
        return frame.withRawPlanes { planes in
            start = planes.first ?? nil
            var block = mk_audio(
                struct_size: structSize(mk_audio.self),
                sample_count: Int32(clamping: frame.sampleCount), pts: noTime,
                planes: planes.baseAddress, plane_count: planes.count)
            if let pts = frame.pts {
                block.pts =
                    frame.timeBase == inTicks ? pts : frame.timeBase.rescale(pts, to: inTicks)
            }
            return body(&block)
        }
    }

    static let emit: mk_emit = { raw, block in
        guard let raw, let block else { return Int32(MK_BAD_ARGUMENT) }
        return Unmanaged<FilterRun>.fromOpaque(raw).takeUnretainedValue().take(block)
    }

    private func take(_ pointer: UnsafePointer<mk_audio>) -> Int32 {
        let block = readStruct(pointer, zero: mk_audio())
        if block.sample_count == 0 { return Int32(MK_OK) }
        do throws(MediaError) {
            if let error { throw error }
            let made = try makeFrame(block)
            try sink?(made)
            return Int32(MK_OK)
        } catch {
            self.error = error
            return error.code == .cancelled ? Int32(MK_CANCELLED) : Int32(MK_FAILED)
        }
    }

    private func makeFrame(_ block: mk_audio) throws(MediaError) -> Frame {
        let count = Int(block.sample_count)
        guard count > 0, count < 1 << 28, block.plane_count == planeCount, let planes = block.planes
        else {
            throw MediaError(
                .filterFailed,
                "a filter gave \(block.sample_count) samples in \(block.plane_count) planes")
        }
        let pts = knownTime(block.pts)
        if isSameFormat, let frame, planes[0] == start, count <= frame.sampleCount {
            let whole = count == frame.sampleCount ? frame : frame.slice(from: 0, count: count)
            let isInTime = pts == whole.pts && (pts == nil || whole.timeBase == outTicks)
            return isInTime ? whole : whole.stamped(pts: pts, timeBase: outTicks)
        }
        let made = Frame.makeAudio(output, sampleCount: count, pts: pts)
        let bytes =
            count * output.sampleFormat.bytesPerSample
            * (output.sampleFormat.isPlanar ? 1 : output.channelCount)
        try made.withRawPlanes { targets throws(MediaError) in
            for index in 0..<planeCount {
                guard let source = planes[index] else {
                    throw MediaError(.filterFailed, "a filter gave no plane \(index)")
                }
                targets[index]?.copyMemory(from: source, byteCount: bytes)
            }
        }
        return made
    }
}

extension AudioFormatSet {
    /// What a filter's table says that it takes.
    fileprivate init(
        plugin table: mk_filter, owner: String, path: String
    ) throws(MediaError) {
        self.init()
        let limit = 64
        while let list = table.sample_formats, sampleFormats.count < limit,
            let name = String(plugin: list[sampleFormats.count])
        {
            guard let format = SampleFormat(rawValue: name) else {
                throw unusable(path, "\(owner): '\(name)' is no sample format")
            }
            sampleFormats.append(format)
        }
        while let list = table.sample_rates, sampleRates.count < limit,
            list[sampleRates.count] > 0
        {
            sampleRates.append(Int(list[sampleRates.count]))
        }
        while let list = table.layouts, layouts.count < limit,
            let name = String(plugin: list[layouts.count])
        {
            guard let layout = ChannelLayout(named: name) else {
                throw unusable(path, "\(owner): '\(name)' is no channel layout")
            }
            layouts.append(layout)
        }
    }
}

@available(*, unavailable)
extension LoadedFilter: Sendable {}
