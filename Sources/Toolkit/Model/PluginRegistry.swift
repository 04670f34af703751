// Everything that can be chosen by name or by what it supports.

public import MediaCore
internal import Synchronization

/// The plugins of one program; what is switched off is never chosen.
///
/// Thread-safety: safe.
public final class PluginRegistry: Sendable {
    /// What plugins are grouped by.
    public enum Kind: String, CaseIterable, Sendable {
        case source
        case demuxer
        case decoder
        case encoder
        case muxer
        case filter
        case sink
    }

    private struct Entry: Sendable {
        var kind: Kind
        var plugin: any Plugin
        var isEnabled: Bool
    }

    private let entries: Mutex<[Entry]>
    private let raw: (any RawFilterPlugin)?

    /// Registers plugins; `plugin-conflict` where two of a kind have one name.
    public init(_ plugins: [any Plugin]) throws(MediaError) {
        var entries: [Entry] = []
        for plugin in plugins {
            for kind in PluginRegistry.kinds(of: plugin) {
                let name = plugin.info.name
                if entries.contains(where: { $0.kind == kind && $0.plugin.info.name == name }) {
                    throw MediaError(
                        .pluginConflict, "two \(kind.rawValue) plugins are named '\(name)'")
                }
                entries.append(Entry(kind: kind, plugin: plugin, isEnabled: true))
            }
        }
        self.entries = Mutex(entries)
        raw = plugins.lazy.compactMap { $0 as? any RawFilterPlugin }.first
    }

    private static func kinds(of plugin: any Plugin) -> [Kind] {
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

    /// Every plugin with its kind and whether it is on, in order of registration.
    public var list: [(kind: Kind, plugin: any Plugin, isEnabled: Bool)] {
        entries.withLock { $0.map { ($0.kind, $0.plugin, $0.isEnabled) } }
    }

    /// The toolkit's version and those of all plugins that are on: what a result depends on beside
    /// its input and its chain.
    public var signature: String {
        let plugins = entries.withLock { entries in
            entries.filter(\.isEnabled).map { "\($0.plugin.info.name) \($0.plugin.info.version)" }
        }
        return (["mediakit \(ToolkitVersion.current)"] + Set(plugins).sorted())
            .joined(separator: ", ")
    }

    /// Switches a plugin on or off; `bad-argument` where no plugin of that kind has the name.
    public func setEnabled(_ kind: Kind, _ name: String, _ isEnabled: Bool) throws(MediaError) {
        let found = entries.withLock { entries in
            guard
                let index = entries.firstIndex(where: {
                    $0.kind == kind && $0.plugin.info.name == name
                })
            else { return false }
            entries[index].isEnabled = isEnabled
            return true
        }
        if !found { throw MediaError(.badArgument, "no \(kind.rawValue) plugin '\(name)'") }
    }

    /// The plugins of a kind that are on, highest rank first.
    private func enabled<P>(_ kind: Kind, as type: P.Type) -> [P] {
        entries.withLock { entries in
            entries.filter { $0.kind == kind && $0.isEnabled }
                .sorted { $0.plugin.info.rank > $1.plugin.info.rank }
                .compactMap { $0.plugin as? P }
        }
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
    public func openSource(
        _ url: String, _ context: SourceContext
    ) throws(MediaError) -> sending any MediaSource {
        let scored = enabled(.source, as: (any MediaSourcePlugin).self)
            .map { (plugin: $0, score: $0.score(url: url)) }
        guard let best = scored.max(by: { $0.score < $1.score }), best.score > 0 else {
            throw MediaError(
                .containerUnsupported, "open \(url.printable): no plugin opens such a source")
        }
        return try best.plugin.open(url, context)
    }

    /// The demuxers that take these first bytes, surest first, then by rank.
    public func demuxers(head: [UInt8], url: String) -> [any DemuxerPlugin] {
        enabled(.demuxer, as: (any DemuxerPlugin).self)
            .map { (plugin: $0, score: $0.score(head: head, url: url)) }
            .filter { $0.score > 0 }.sorted { $0.score > $1.score }.map(\.plugin)
    }

    /// Makes a decoder by the highest-ranked plugin that supports the stream.
    public func makeDecoder(
        _ stream: StreamInfo, threads: Int
    ) throws(MediaError) -> sending any Decoder {
        let decoders = enabled(.decoder, as: (any DecoderPlugin).self)
        guard let plugin = decoders.first(where: { $0.supports(stream.parameters) }) else {
            let tag = stream.parameters.tag
            throw MediaError(
                .decoderNotFound,
                "\(stream.kind.rawValue) stream \(stream.index): codec "
                    + "\(stream.parameters.codecName)\(tag.isEmpty ? "" : " (\(tag))") "
                    + "is not supported; see `mediakit plugins` for the decoders there are")
        }
        return try plugin.makeDecoder(stream, threads: threads)
    }

    /// The plugin that has an encoder of this name.
    public func encoder(named name: String) throws(MediaError) -> any EncoderPlugin {
        let encoders = enabled(.encoder, as: (any EncoderPlugin).self)
        guard let plugin = encoders.first(where: { $0.supports(name) }) else {
            throw MediaError(.encoderNotFound, "no encoder '\(name)'")
        }
        return plugin
    }

    /// The plugin that writes containers.
    public func muxer() throws(MediaError) -> any MuxerPlugin {
        guard let plugin = enabled(.muxer, as: (any MuxerPlugin).self).first else {
            throw MediaError(.containerUnsupported, "no muxer plugin is on")
        }
        return plugin
    }

    /// Checks a filter's name and options, or its libavfilter text.
    public func check(_ spec: FilterSpec) throws(MediaError) {
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
