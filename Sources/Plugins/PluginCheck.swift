// Exercises everything that a plugin file holds, to find out whether it keeps what the header asks.

internal import CShims
internal import Glibc
public import MediaCore
internal import MediaModel

/// Loads a plugin file, uses each part of it on made-up input, and unloads it.
///
/// A bad plugin may end or hang the process that does this: `mediakit plugins --check` lets a child
/// do it. Threading: blocks.
public struct PluginCheck {
    /// One step and what came of it.
    public struct Step: Hashable, Sendable {
        /// What was done: `filter tremolo-c: sound, stereo`.
        public var name: String
        /// Why it failed; nil where it did not.
        public var failure: String?

        /// Joins a name and a failure.
        public init(_ name: String, failure: String? = nil) {
            self.name = name
            self.failure = failure
        }
    }

    private let began: (String) -> Void
    private let ended: (Step) -> Void

    /// Prepares a check.
    ///
    /// - Parameters:
    ///   - began: is told the name of each step before it is done.
    ///   - ended: is told what came of it.
    public init(began: @escaping (String) -> Void, ended: @escaping (Step) -> Void) {
        self.began = began
        self.ended = ended
    }

    /// Has the system end this process with its parent, and soon behind `limit`, whatever a plugin
    /// does in it; for a child that does the check.
    public static func endWithParent(limit: MediaTime) {
        mk_end_with_parent(SIGKILL, UInt32(clamping: Int(limit.seconds.rounded(.up)) + 2))
    }

    /// Does all steps; whether each of them held.
    public func run(_ path: String) -> Bool {
        guard let registry = try? PluginRegistry([]) else { return false }
        let loader = PluginLoader(into: registry)
        guard step("load", { () throws(MediaError) in try loader.load(path) }) else { return false }
        var holds = true
        for entry in registry.entries {
            switch entry.plugin {
            case let plugin as any FilterPlugin: holds = filter(plugin) && holds
            case let plugin as any DemuxerPlugin: holds = demuxer(plugin, registry) && holds
            case let plugin as any DecoderPlugin: holds = decoder(plugin) && holds
            default: break
            }
        }
        let isUnloaded = step("unload") { () throws(MediaError) in
            guard try loader.unload(path) == .done else {
                throw MediaError(.pluginUnusable, "something of it is still in use")
            }
        }
        return isUnloaded && holds
    }

    /// Does one step and tells what came of it.
    private func step<Result>(
        _ name: String, _ body: () throws(MediaError) -> Result
    ) -> Bool {
        began(name)
        do throws(MediaError) {
            _ = try body()
            ended(Step(name))
            return true
        } catch {
            ended(Step(name, failure: error.message))
            return false
        }
    }

    // MARK: - Filters

    private static let layouts: [(name: String, rate: Int)] = [
        ("stereo", 48_000), ("mono", 8_000), ("5.1", 44_100), ("7.1", 96_000),
    ]

    private func filter(_ plugin: any FilterPlugin) -> Bool {
        let title = "filter \(plugin.info.name)"
        var holds = true
        for (layout, rate) in Self.layouts {
            let held = step("\(title): \(layout) at \(rate) Hz") { () throws(MediaError) in
                try Self.run(plugin, [:], layout: layout, rate: rate)
            }
            holds = held && holds
        }
        for spec in plugin.options {
            for value in spec.ends {
                let held = step("\(title): \(spec.name)=\(value)") { () throws(MediaError) in
                    try Self.run(plugin, [spec.name: value], layout: "stereo", rate: 48_000)
                }
                holds = held && holds
            }
        }
        return holds
    }

    /// Runs noise through a filter, flushes it in the middle and drains it.
    private static func run(
        _ plugin: any FilterPlugin, _ values: [String: OptionValue], layout name: String, rate: Int
    ) throws(MediaError) {
        guard let layout = ChannelLayout(named: name) else { return }
        let options = try Options(values, specs: plugin.options, owner: plugin.info.name)
        let filter = try plugin.makeFilter(options)
        let format = AudioFormat(sampleRate: rate, layout: layout)
        guard filter.acceptedInput.contains(format) else { return }
        let output = try filter.configure(format, accepting: AudioFormatSet())
        var noise = Noise()
        var position: Int64 = 0
        var tally = FilterTally(format, output)
        try tally.check(latencyOf: filter)
        for turn in 0..<40 {
            let count = [1024, 1, 441, 4096][turn % 4]
            let frame = Frame.makeAudio(format, sampleCount: count, pts: position)
            frame.withFloatPlanes { planes in
                for plane in planes { for i in 0..<count { plane[i] = noise.next() } }
            }
            position += Int64(count)
            tally.give(frame)
            try filter.process(frame) { frame throws(MediaError) in
                try check(frame, output)
                try tally.take(frame)
            }
            try tally.check(latencyOf: filter)
            if turn == 20 {
                filter.flush()
                tally = FilterTally(format, output)
            }
        }
        try filter.process(nil) { frame throws(MediaError) in
            try check(frame, output)
            try tally.take(frame)
        }
        try tally.finish()
    }

    private static func check(_ frame: Frame, _ format: AudioFormat) throws(MediaError) {
        guard frame.sampleRate == format.sampleRate else {
            throw MediaError(
                .pluginUnusable, "it gives \(frame.sampleRate) Hz, and said \(format.sampleRate)")
        }
        guard format.sampleFormat == .fltp else { return }
        var isFinite = true
        frame.withFloatPlanes { planes in
            for plane in planes {
                for i in 0..<frame.sampleCount where !plane[i].isFinite { isFinite = false }
            }
        }
        if !isFinite {
            throw MediaError(.pluginUnusable, "it makes samples that are no numbers of noise")
        }
    }

    // MARK: - Demuxers

    private func demuxer(_ plugin: any DemuxerPlugin, _ registry: PluginRegistry) -> Bool {
        let title = "demuxer \(plugin.info.name)"
        var holds = true
        for (name, bytes) in Self.junk {
            let scored = step("\(title): score of \(name)") { () throws(MediaError) in
                let head = Array(bytes.prefix(16 << 10))
                _ = plugin.score(head: head, url: "junk", bytes: MemorySource(bytes))
                _ = plugin.score(head: head, url: "junk", bytes: nil)
            }
            let opened = step("\(title): open \(name)") { () throws(MediaError) in
                // Refusing is right; packets of what makes no sense are allowed.
                let context = SourceContext(registry: registry)
                let source = try? plugin.open(MemorySource(bytes), url: "junk", context)
                guard let source else { return }
                for _ in 0..<1000 {
                    guard let packet = try? source.readPacket() else { break }
                    _ = packet.size
                }
                if source.info.isSeekable { _ = try? source.seek(to: MediaTime(seconds: 1)) }
                source.close()
            }
            holds = scored && opened && holds
        }
        return holds
    }

    private static var junk: [(name: String, bytes: [UInt8])] {
        var noise = Noise()
        return [
            ("nothing", []), ("one byte", [0]), ("zeros", [UInt8](repeating: 0, count: 1 << 16)),
            ("random bytes", (0..<1 << 16).map { _ in noise.byte() }),
        ]
    }

    // MARK: - Decoders

    private static let codecs: [(kind: MediaKind, names: [String])] = [
        (.video, ["vvc", "hevc", "h264", "av1", "vp9", "vp8", "mpeg2video", "mpeg4", "mjpeg"]),
        (.audio, ["aac", "mp3", "flac", "opus", "vorbis", "ac3", "eac3", "pcm_s16le", "alac"]),
    ]

    private func decoder(_ plugin: any DecoderPlugin) -> Bool {
        let title = "decoder \(plugin.info.name)"
        // A codec of the plugin's own usually has its name.
        let known = Self.codecs.flatMap(\.names)
        let own = [MediaKind.video, .audio].map { kind in
            (kind: kind, names: [plugin.info.name, "none"].filter { !known.contains($0) })
        }
        var streams: [StreamInfo] = []
        var holds = step("\(title): supports") { () throws(MediaError) in
            for (kind, names) in Self.codecs + own {
                for name in names {
                    var codec = CodecDescription(kind: kind, codecName: name)
                    if kind == .audio { (codec.sampleRate, codec.channelCount) = (48_000, 2) }
                    let parameters = CodecParameters(codec)
                    if plugin.supports(parameters) {
                        streams.append(
                            StreamInfo(
                                index: 0, parameters: parameters, timeBase: TimeBase(1, 90_000)))
                    }
                }
            }
        }
        for stream in streams {
            let name = "\(stream.kind.rawValue) \(stream.parameters.codecName)"
            let ends = plugin.options.flatMap { spec in spec.ends.map { [spec.name: $0] } }
            for values in [[:]] + ends {
                let suffix = values.map { " \($0.key)=\($0.value)" }.joined()
                let held = step("\(title): junk as \(name)\(suffix)") { () throws(MediaError) in
                    try Self.feed(plugin, stream, values)
                }
                holds = held && holds
            }
        }
        return holds
    }

    /// Feeds packets of nonsense; refusals are right, but it has to stay usable.
    private static func feed(
        _ plugin: any DecoderPlugin, _ stream: StreamInfo, _ values: [String: OptionValue]
    ) throws(MediaError) {
        var request = DecoderRequest(threads: 2)
        request.options = try Options(values, specs: plugin.options, owner: plugin.info.name)
        guard let decoder = try? plugin.makeDecoder(stream, request) else { return }
        var noise = Noise()
        for turn in 0..<100 {
            let bytes = (0..<(turn * 37 % 2000)).map { _ in noise.byte() }
            let packet = bytes.withUnsafeBytes { bytes in
                Packet(
                    copying: bytes, streamIndex: 0, pts: Int64(turn) * 3600, dts: nil,
                    duration: 3600, isKeyframe: turn % 10 == 0, timeBase: stream.timeBase)
            }
            try? decoder.send(packet)
            try drain(decoder, until: .needsInput)
            if turn == 50 { decoder.flush() }
        }
        try? decoder.send(nil)
        try drain(decoder, until: .endOfStream)
        decoder.flush()
    }

    private enum End { case needsInput, endOfStream }

    private static func drain(_ decoder: any Decoder, until end: End) throws(MediaError) {
        for _ in 0..<10_000 {
            switch (try? decoder.receive(), end) {
            case (.needsInput?, .needsInput), (.endOfStream?, _): return
            case (.needsInput?, .endOfStream):
                throw MediaError(.pluginUnusable, "it asks for input after the drain has begun")
            case (.value?, _), (nil, _): continue
            }
        }
        throw MediaError(.pluginUnusable, "10000 calls of receive never come to an end")
    }
}

extension OptionSpec {
    /// The ends of its range, or its words.
    fileprivate var ends: [OptionValue] {
        switch kind {
        case .bool: [.bool(false), .bool(true)]
        case .int(let range): [.int(range.lowerBound), .int(range.upperBound)]
        case .double(let range): [.double(range.lowerBound), .double(range.upperBound)]
        case .choice(let words): words.map { .string($0) }
        case .string: []
        }
    }
}

/// The same noise each time (SplitMix64).
private struct Noise {
    private var state: UInt64 = 7

    mutating func bits() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
    mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: bits() >> 32) }
    /// A sample of −0.5…0.5.
    mutating func next() -> Float { Float(bits() >> 40) / Float(1 << 24) - 0.5 }
}
