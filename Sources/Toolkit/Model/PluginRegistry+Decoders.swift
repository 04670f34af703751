// The decoder for a stream: which plugins can make it, in which order, and what to do without one.

public import MediaCore
internal import Synchronization

extension PluginRegistry {
    /// A plugin that decodes a stream, and why it comes where it comes.
    public typealias DecoderCandidate = (plugin: any DecoderPlugin, choice: DecoderChoice)

    /// Makes a decoder by the highest-ranked plugin that supports the stream, or by the next one
    /// where that fails to make it.
    ///
    /// - Parameter chosen: is told which plugin made it, and why that one.
    /// - Throws: `decoder-not-found` where no plugin decodes it or its codec is off; `not-licensed`
    ///   where its codec needs a licence that is not there; what the first plugin reports where none
    ///   can make it.
    public func makeDecoder(
        _ stream: StreamInfo, _ request: DecoderRequest,
        chosen: (DecoderChoice) -> Void = { _ in }
    ) throws(MediaError) -> sending any Decoder {
        let title = "\(stream.kind.rawValue) stream \(stream.index)"
        var failure: MediaError?
        let candidates = try decoderCandidates(for: stream)
        try admit(stream)
        for (plugin, choice) in candidates {
            var (choice, request) = (choice, request)
            if let failure {
                choice.reason = "in place of \(candidates[0].plugin.info.name): \(failure.message)"
            }
            request.options = options(.decoder, plugin.info.name)
            do {
                let decoder = try plugin.makeDecoder(stream, request)
                Log.info(
                    "plugins", "\(title) (\(stream.parameters.codecName)): decoder \(choice)")
                chosen(choice)
                return decoder
            } catch {
                // What the container says makes no sense for the next one either.
                if error.code == .cancelled || error.code == .containerMalformed { throw error }
                Log.debug("plugins", "\(title): decoder \(plugin.info.name): \(error.message)")
                failure = failure ?? error
            }
        }
        throw failure ?? unsupported(stream)
    }

    /// Makes a decoder that uses so many threads; 0 for as many as the machine has.
    public func makeDecoder(
        _ stream: StreamInfo, threads: Int
    ) throws(MediaError) -> sending any Decoder {
        try makeDecoder(stream, DecoderRequest(threads: threads))
    }

    /// The plugin that decodes a stream; `decoder-not-found` where none does or its codec is off.
    public func decoder(for stream: StreamInfo) throws(MediaError) -> any DecoderPlugin {
        try decoderChoice(for: stream).plugin
    }

    /// The plugin that decodes a stream and why it is taken, before it is asked to.
    ///
    /// - Throws: `decoder-not-found` with what a user can do, where no plugin decodes it or its
    ///   codec is off.
    public func decoderChoice(for stream: StreamInfo) throws(MediaError) -> DecoderCandidate {
        guard let first = try decoderCandidates(for: stream).first else {
            throw unsupported(stream)
        }
        return first
    }

    /// The plugins that decode a stream, best first; at least one.
    private func decoderCandidates(
        for stream: StreamInfo
    ) throws(MediaError) -> [DecoderCandidate] {
        guard isCodecEnabled(stream.parameters.codecName) else { throw unsupported(stream) }
        let able = entries.enumerated().filter { _, entry in
            (entry.plugin as? any DecoderPlugin)?.supports(stream.parameters) == true
        }.sorted { ($1.element.rank, $0.offset) < ($0.element.rank, $1.offset) }.map(\.element)
        let ranked = able.filter(\.isEnabled)
        let off = able.filter { !$0.isEnabled }.map(\.plugin.info.name)
        guard !ranked.isEmpty else { throw unsupported(stream) }
        return ranked.enumerated().compactMap { place, entry in
            guard let plugin = entry.plugin as? any DecoderPlugin else { return nil }
            let next = ranked.dropFirst(place + 1).first
            return (plugin, DecoderChoice(plugin, reason: Self.reason(entry, before: next, off)))
        }
    }

    private static func reason(_ entry: Entry, before next: Entry?, _ off: [String]) -> String {
        var reason = "the only decoder for it"
        if let next {
            let rank = "rank \(entry.rank)\(entry.rank == entry.plugin.info.rank ? "" : " (set)")"
            reason =
                entry.rank > next.rank
                ? "\(rank), before \(next.plugin.info.name) with \(next.rank)"
                : "\(rank), registered before \(next.plugin.info.name)"
        }
        return off.isEmpty ? reason : "\(reason); \(off.joined(separator: ", ")) switched off"
    }

    /// Why a stream can't be decoded, and what to do about it: `decoder-not-found`.
    private func unsupported(_ stream: StreamInfo) -> MediaError {
        let (parameters, kind) = (stream.parameters, stream.kind.rawValue)
        let codec = parameters.codecName
        let able = entries.filter { entry in
            (entry.plugin as? any DecoderPlugin)?.supports(parameters) == true
        }
        let advice: String
        if !isCodecEnabled(codec) {
            advice = "it is switched off; mk.plugins.enable_codec(\"\(codec)\", true) allows it"
        } else if let entry = able.first, !entry.isEnabled {
            let name = entry.plugin.info.name
            advice =
                "its decoder is switched off; mk.plugins.enable(\"decoder\", \"\(name)\", true) "
                + "allows it"
        } else {
            advice =
                "name a plugin that decodes it with --plugin or MEDIAKIT_PLUGIN_PATH "
                + "(docs/plugins.md\(codec == "vvc" ? "; `make -C vvc` builds one" : ""))"
        }
        return MediaError(
            .decoderNotFound,
            "\(kind) stream \(stream.index): \(kind) codec not supported: "
                + "\(parameters.codecTitle); \(advice)")
    }
}

extension MediaInfo {
    /// The same facts with the decoder that would be taken for each stream of sound and pictures.
    public func choosingDecoders(_ registry: PluginRegistry) -> MediaInfo {
        var info = self
        for index in streams.indices {
            let kind = streams[index].kind
            guard kind == .audio || kind == .video else { continue }
            info.streams[index].decoder = try? registry.decoderChoice(for: streams[index]).choice
        }
        return info
    }
}
