// Everything that can be chosen by name or by what it supports.

public import MediaCore

/// The plugins of one program; what is switched off is never chosen.
///
/// Thread-safety: safe.
public final class PluginRegistry: Sendable {
    /// What plugins are grouped by.
    public enum Kind: String, CaseIterable, Sendable {
        /// Opens URLs.
        case source
        /// Takes containers apart.
        case demuxer
        /// Makes frames of packets.
        case decoder
        /// Makes packets of frames.
        case encoder
        /// Writes containers.
        case muxer
        /// Changes sound.
        case filter
        /// Takes the frames that are played.
        case sink
    }

    /// A plugin and how it stands.
    public struct Entry: Sendable {
        /// Its name when it was registered.
        let name: String
        /// Where it came from when it was registered.
        let origin: PluginOrigin?
        /// What it is grouped by.
        public let kind: Kind
        /// The plugin.
        public let plugin: any Plugin
        /// Whether it may be chosen.
        public internal(set) var isEnabled: Bool
        /// Higher is chosen first where several fit; the plugin's own until it is changed.
        public internal(set) var rank: Int
        /// What was set of its options; demuxers and decoders that are made later work so.
        public internal(set) var options = Options()
    }

    struct State: Sendable {
        var entries: [Entry] = []
        var disabledCodecs: Set<String> = []
        /// The options of filters that were unloaded, by their names, for those that still run.
        var retired: [String: [OptionSpec]] = [:]
    }

    let state: Monitor<State>
    let premium: PremiumUse
    /// Whether it serves one player or run.
    let isRun: Bool
    private let raw: (any RawFilterPlugin)?

    /// Registers plugins; `plugin-conflict` where two of a kind have one name, `bad-argument` for
    /// one of no kind.
    ///
    /// What runs libavfilter text is taken here only: the first `RawFilterPlugin` of the list.
    ///
    /// - Parameter gate: decides on premium features; all are granted unless one is given.
    public init(
        _ plugins: [any Plugin], gate: any PremiumGate = OpenGate()
    ) throws(MediaError) {
        state = Monitor(State())
        premium = PremiumUse(gate, PremiumListener())
        isRun = false
        raw = plugins.lazy.compactMap { $0 as? any RawFilterPlugin }.first
        try register(plugins.filter { !($0 is any RawFilterPlugin) || !Self.kinds(of: $0).isEmpty })
    }

    /// Another view of the same plugins, or of how they stand now.
    init(
        sharing other: PluginRegistry, premium: PremiumUse, isRun: Bool, isFrozen: Bool = false
    ) {
        state = isFrozen ? Monitor(other.state.withLock { $0 }) : other.state
        raw = other.raw
        self.premium = premium
        self.isRun = isRun
    }

    static func kinds(of plugin: any Plugin) -> [Kind] {
        var kinds: [Kind] = []
        if plugin is any MediaSourcePlugin { kinds.append(.source) }
        if plugin is any DemuxerPlugin { kinds.append(.demuxer) }
        if plugin is any DecoderPlugin { kinds.append(.decoder) }
        if plugin is any EncoderPlugin { kinds.append(.encoder) }
        if plugin is any MuxerPlugin { kinds.append(.muxer) }
        if plugin is any FilterPlugin { kinds.append(.filter) }
        if plugin is any SinkPlugin { kinds.append(.sink) }
        return kinds
    }

    /// Every plugin and how it stands, in order of registration.
    public var entries: [Entry] { state.withLock { $0.entries } }

    /// Every plugin with its kind and whether it is on, in order of registration.
    public var list: [(kind: Kind, plugin: any Plugin, isEnabled: Bool)] {
        entries.map { ($0.kind, $0.plugin, $0.isEnabled) }
    }

    /// The toolkit's version and those of all plugins that are on: what a result depends on beside
    /// its input and its chain.
    public var signature: String {
        let plugins = entries.filter(\.isEnabled).map {
            "\($0.plugin.info.name) \($0.plugin.info.version)"
        }
        return (["mediakit \(ToolkitVersion.current)"] + Set(plugins).sorted())
            .joined(separator: ", ")
    }

    /// The plugins of a kind that are on, highest rank first, equals in order of registration.
    private func enabled<P>(_ kind: Kind, as type: P.Type) -> [P] {
        ranked(kind, as: type).map(\.plugin)
    }

    private func ranked<P>(_ kind: Kind, as type: P.Type) -> [(plugin: P, rank: Int)] {
        entries.enumerated().filter { $0.element.kind == kind && $0.element.isEnabled }
            .sorted { ($1.element.rank, $0.offset) < ($0.element.rank, $1.offset) }
            .compactMap { _, entry in (entry.plugin as? P).map { ($0, entry.rank) } }
    }

    /// The filter plugins that are on.
    public var filters: [any FilterPlugin] { enabled(.filter, as: (any FilterPlugin).self) }

    /// The filter plugin with this name.
    public func filter(named name: String) -> (any FilterPlugin)? {
        filters.first { $0.info.name == name }
    }

    /// What runs libavfilter text, if anything does.
    public var rawFilters: (any RawFilterPlugin)? { raw }

    /// The sink plugins that are on.
    public var sinks: [any SinkPlugin] { enabled(.sink, as: (any SinkPlugin).self) }

    /// The sink with this name; `bad-argument` with the nearest where there is none.
    public func sink(named name: String) throws(MediaError) -> any SinkPlugin {
        if let sink = sinks.first(where: { $0.info.name == name }) { return sink }
        let known = sinks.map(\.info.name)
        throw MediaError(
            .badArgument,
            "no sink '\(name)'\(Suggestion.sentence(for: name, among: known)); "
                + "there are \(known.joined(separator: ", "))")
    }

    /// Opens `url` with the source plugin that is surest of it.
    ///
    /// - Throws: `container-unsupported` where no plugin opens such a source, what the plugin reports.
    public func openSource(
        _ url: String, _ context: SourceContext
    ) throws(MediaError) -> sending any MediaSource {
        let scored = enabled(.source, as: (any MediaSourcePlugin).self)
            .map { (plugin: $0, score: $0.score(url: url)) }
        guard let best = scored.max(by: { $0.score < $1.score }), best.score > 0 else {
            let reason =
                switchedOff(.source) { ($0 as? any MediaSourcePlugin)?.score(url: url) ?? 0 > 0 }
                ?? "no plugin opens such a source"
            throw MediaError(.containerUnsupported, "open \(url.printable): \(reason)")
        }
        return try best.plugin.open(url, context)
    }

    /// The demuxers that take what begins with these bytes, surest first, then by rank.
    ///
    /// - Parameter bytes: lets demuxers look further, where it can be sought in; its position is at
    ///   the start again afterwards.
    public func demuxers(
        head: [UInt8], url: String, bytes: (any DataSource)? = nil
    ) throws(MediaError) -> [any DemuxerPlugin] {
        let look = bytes?.isSeekable == true ? bytes : nil
        let scored = ranked(.demuxer, as: (any DemuxerPlugin).self)
            .map { (plugin: $0.plugin, score: $0.plugin.score(head: head, url: url, bytes: look)) }
            .filter { $0.score > 0 }
        try look?.seek(to: 0)
        let sorted = scored.enumerated()
            .sorted { ($1.element.score, $0.offset) < ($0.element.score, $1.offset) }
            .map(\.element)
        if let best = sorted.first {
            Log.debug(
                "plugins",
                "\(url.printable): demuxer \(best.plugin.info.name), score \(best.score)"
                    + (sorted.count < 2
                        ? "" : ", before \(sorted[1].plugin.info.name), \(sorted[1].score)"))
        }
        return sorted.map(\.plugin)
    }

    /// The plugin that has an encoder of this name.
    public func encoder(named name: String) throws(MediaError) -> any EncoderPlugin {
        let encoders = enabled(.encoder, as: (any EncoderPlugin).self)
        if let plugin = encoders.first(where: { $0.supports(name) }) { return plugin }
        let off = switchedOff(.encoder) { ($0 as? any EncoderPlugin)?.supports(name) == true }
        let hint =
            off.map { ": \($0)" }
            ?? Suggestion.sentence(for: name, among: encoders.flatMap(\.encoderNames))
        throw MediaError(.encoderNotFound, "no encoder '\(name.printable)'\(hint)")
    }

    /// The plugin that writes containers.
    public func muxer() throws(MediaError) -> any MuxerPlugin {
        guard let plugin = enabled(.muxer, as: (any MuxerPlugin).self).first else {
            let reason = switchedOff(.muxer) { _ in true } ?? "nothing writes containers"
            throw MediaError(.containerUnsupported, reason)
        }
        return plugin
    }

    /// Checks a filter's label, and its name and options or its libavfilter text.
    public func check(_ spec: FilterSpec) throws(MediaError) {
        if let label = spec.label, !ChainSyntax.isLabel(label) {
            throw MediaError(
                .badArgument,
                "'\(label.printable)' can't be a label: no chain could be written with it")
        }
        switch spec.body {
        case .named(let name, let values):
            _ = try options(name, values)
        case .raw(let text):
            guard let raw else {
                throw MediaError(.badArgument, "no filter '\(text)'")
            }
            try raw.check(ChainSyntax.withoutPrefixes(text))
        }
    }

    /// Makes the filter that a spec describes.
    public func makeFilter(_ spec: FilterSpec) throws(MediaError) -> sending any AudioFilter {
        switch spec.body {
        case .named(let name, let values):
            let (plugin, options) = try options(name, values)
            if let feature = plugin.premium { try require(feature) }
            return try plugin.makeFilter(options)
        case .raw(let text):
            guard let raw else { throw MediaError(.badArgument, "no filter '\(text)'") }
            return try raw.makeFilter(ChainSyntax.withoutPrefixes(text))
        }
    }

    /// The plugin of a named filter and its checked options.
    public func options(
        _ name: String, _ values: [String: OptionValue]
    ) throws(MediaError) -> (plugin: any FilterPlugin, options: Options) {
        guard let plugin = filter(named: name) else {
            let hint = Suggestion.sentence(for: name, among: filters.map(\.info.name))
            throw MediaError(.badArgument, "no filter '\(name)'\(hint)")
        }
        return (plugin, try Options(values, specs: plugin.options, owner: name))
    }
}
