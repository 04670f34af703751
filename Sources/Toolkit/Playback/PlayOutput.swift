// Where the frames of one playback end: a sink of frames, or a container.

internal import MediaCore
internal import MediaModel
internal import Pipeline

/// The output of one opened medium.
///
/// A container's file is written beside its name and appears when playback is complete.
///
/// Thread-safety: `write`-like work happens in the lanes' own nodes; the rest is the engine's.
final class PlayOutput {
    /// How one stream ends.
    enum End {
        /// Frames go to the sink.
        case frames(any Sink)
        /// Frames are encoded into this lane of the writer.
        case encoded(EncodePlan, MuxWriter, lane: Int)
        /// Packets go to this lane of the writer.
        case copied(MuxWriter, lane: Int)
    }

    /// How each stream that plays ends, by index.
    private(set) var ends: [Int: End] = [:]
    /// What is known of the container; nil for a sink of frames.
    private(set) var facts: ContainerFacts?
    private var sink: (any Sink)?
    private var writer: MuxWriter?
    private var staged: StagedOutput?
    private var direct: (any OpenFile)?

    /// Whether it is a container, which can't be sought in or change its streams.
    var isContainer: Bool { writer != nil }

    /// Sets up the output of a medium.
    ///
    /// - Parameters:
    ///   - selected: the streams that play.
    ///   - cancellation: wakes a writer whose reader takes nothing.
    init(
        _ info: MediaInfo, selected: [MediaKind: Int], chain: FilterChain,
        _ configuration: PlayerConfiguration, registry: PluginRegistry, files: any FileSystem,
        warnings: WarningLog, cancellation: CancellationToken
    ) throws(MediaError) {
        let plugin = try registry.sink(named: configuration.sink)
        guard let preset = plugin.container else {
            let options = try Options(
                configuration.sinkOptions, specs: plugin.options, owner: configuration.sink)
            let sink = try plugin.makeSink(options)
            self.sink = sink
            for stream in selected.values { ends[stream] = .frames(sink) }
            return
        }
        try openContainer(
            preset, info, selected, chain, configuration, registry: registry, files: files,
            warnings: warnings, cancellation: cancellation)
    }

    /// How a stream ends that begins to play later; only for a sink of frames.
    func end(of stream: Int) throws(MediaError) -> End {
        guard let sink else {
            throw MediaError(.invalidState, "the streams of the output are fixed")
        }
        ends[stream] = .frames(sink)
        return .frames(sink)
    }

    /// Everything was written: the output takes its name.
    func finish() throws(MediaError) {
        try sink?.finish()
        try writer?.finish()
        try staged?.commit()
        try direct?.close()
    }

    /// Drops what is not complete.
    func abandon() { staged?.abandon() }

    private func openContainer(
        _ preset: ContainerPreset, _ info: MediaInfo, _ selected: [MediaKind: Int],
        _ chain: FilterChain, _ configuration: PlayerConfiguration, registry: PluginRegistry,
        files: any FileSystem, warnings: WarningLog, cancellation: CancellationToken
    ) throws(MediaError) {
        let path = configuration.output ?? "-"
        var request = TranscodeRequest(
            url: info.url, start: configuration.start, duration: configuration.duration,
            chain: chain, preset: preset, settings: configuration.settings, outputPath: path)
        if let audio = selected[.audio] { request.audio = .stream(audio) }
        request.alwaysEncodesAudio = true
        let plan = try OutputPlan(
            info.playing(selected, preset), request, registry: registry, warnings: warnings)
        facts = plan.facts
        let kept = info.streams.filter { stream in
            switch plan.fates[stream.index] {
            case .copied, .encoded: true
            case .dropped, nil: false
            }
        }
        if path != "-", let old = try files.facts(of: path)?.identity,
            old == (try? files.facts(of: info.url))?.identity
        {
            throw MediaError(
                .badArgument, "\(path.printable) is both what is played and where it is written")
        }
        let file = try openFile(path, plan.facts, files, cancellation)
        let writer = MuxWriter(
            try registry.muxer().makeMuxer(plan.muxer, into: file), lanes: kept.count,
            metadata: plan.metadata,
            chapters: preset.copiesUntouched
                ? info.chapters.cut(
                    from: configuration.start ?? .zero, duration: configuration.duration) : [],
            isPart: configuration.start != nil || configuration.duration != nil, name: info.url)
        self.writer = writer
        for (lane, stream) in kept.enumerated() {
            if case .encoded(let encode)? = plan.fates[stream.index] {
                ends[stream.index] = .encoded(encode, writer, lane: lane)
            } else {
                ends[stream.index] = .copied(writer, lane: lane)
            }
        }
    }

    private func openFile(
        _ path: String, _ facts: ContainerFacts, _ files: any FileSystem,
        _ cancellation: CancellationToken
    ) throws(MediaError) -> (any OpenFile)? {
        if facts.writesOwnFiles {
            if path == "-" {
                throw MediaError(
                    .badArgument, "\(facts.name) writes its own files; name them with 'output'")
            }
            try OutputTarget.checkFolder(of: path, files)
            return nil
        }
        if path == "-" {
            if facts.needsSeekableOutput {
                throw MediaError(
                    .badArgument,
                    "\(facts.name) can't be written to standard output; name a file with 'output'")
            }
            let file = SystemFile(
                owning: 1, path: "standard output", isOutput: true, borrowing: true)
            direct = file
            return file.size == nil ? PipeFile(file, descriptor: 1, cancellation) : file
        }
        if facts.needsSeekableOutput, try OutputTarget(path, files) == .direct {
            throw MediaError(
                .badArgument,
                "\(facts.name) can't be written to \(path.printable), which can't be sought in")
        }
        let output = try StagedOutput(path, files: files, cancellation: cancellation)
        staged = output
        return output.file
    }
}

extension MediaInfo {
    /// The medium as if it had only the chosen streams of sound and picture; what else it has stays
    /// where it is copied.
    fileprivate func playing(
        _ selected: [MediaKind: Int], _ preset: ContainerPreset
    ) -> MediaInfo {
        var info = self
        info.streams = streams.filter { stream in
            switch stream.kind {
            case .audio, .video:
                preset.copiesUntouched || selected[stream.kind] == stream.index
            case .subtitle, .data, .attachment: preset.copiesUntouched
            }
        }
        return info
    }
}
