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
        // What the host put there for one number of channels says nothing of another.
        if given.layout == taken.layout, given.channel_count != taken.channel_count {
            given.layout = nil
        }
        let format: AudioFormat
        do throws(MediaError) {
            format = try withExtendedLifetime(memory) { () throws(MediaError) in
                try AudioFormat(plugin: given, mayGuess: false)
            }
        } catch {
            throw MediaError(.filterFailed, "set up \(title): it gives \(error.message)")
        }
        self.input = input
        run = FilterRun(title, from: input, to: format, table.flags)
        if let told = toldLatency, !(0...LoadedFilter.latencyLimit(input)).contains(told) {
            Log.write(.warning, "plugins", "\(title): it tells a latency of \(told) samples")
        }
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
            if input == nil { endRun(run) }
        }
    }

    /// Tells when something was lost or made up on the way; the drain is over.
    private func endRun(_ run: FilterRun) {
        let (input, output) = run.samples
        if run.keepsRate, input != output {
            Log.write(
                .warning, "plugins",
                "\(title): \(input) samples went in, and \(output) came out")
        }
        run.reset()
    }

    func update(_ options: Options) throws(MediaError) -> FilterUpdate {
        var values: [(spec: OptionSpec, value: OptionValue)] = []
        var ignored: [String] = []
        for (name, value) in options.given.sorted(by: { $0.key < $1.key }) {
            if let spec = specs.first(where: { $0.name == name && $0.isLive }) {
                values.append((spec, value))
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

    var runningOptions: [OptionSpec]? { specs }

    func flush() {
        table.flush(instance)
        run?.reset()
    }

    var latency: MediaTime {
        guard let input, let told = toldLatency else { return .zero }
        return TimeBase(1, Int32(input.sampleRate))
            .time(ticks: min(max(0, told), LoadedFilter.latencyLimit(input)))
    }

    /// The latency in samples of the input as the plugin tells it, whatever that is; nil before it
    /// is set up and where it has no function for it.
    var toldLatency: Int64? { input == nil ? nil : table.latency.map { $0(instance) } }

    /// More than this, an hour of sound, is no latency.
    static func latencyLimit(_ format: AudioFormat) -> Int64 { Int64(format.sampleRate) * 3600 }
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
