// Source, decoder and chain in one row, for a reader of frames.

internal import MediaCore
internal import MediaModel

/// Opens a medium and runs its sound through a chain, on the thread that calls.
struct FrameCourse: Sendable {
    /// What is known at the end.
    struct Facts: Sendable {
        var info: MediaInfo
        var stream: StreamInfo
        var warnings: [String]
        var isDamaged: Bool
    }

    var request: FrameRequest
    var registry: PluginRegistry
    var files: any FileSystem
    var control: RunControl

    /// Reads to the end; `begin` gets the length, as far as it is known.
    func run(
        begin: (MediaTime?) -> Void, emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) -> Facts {
        let source = try registry.openSource(
            request.url,
            SourceContext(registry: registry, cancellation: control.token, files: files))
        defer { source.close() }
        let info = source.info
        let stream = try chosen(info)
        source.select([stream.index])
        begin(request.duration ?? info.duration.map { $0 - (request.start ?? .zero) })
        let warnings = WarningLog()
        let tally = LaneTally(
            EncodedStream(index: stream.index, kind: .audio, encoder: "", codec: ""))
        let node = Joined(
            Joined(
                DecodeNode(
                    stream, decoder: try registry.makeDecoder(stream, threads: 1),
                    origin: info.startTime, warnings: warnings,
                    startsInside: request.start ?? .zero > .zero, stop: control.token),
                TrimNode(start: request.start, duration: request.duration, tally: tally)),
            ChainNode(
                request.chain, registry: registry, accepting: request.accepting,
                stop: control.token))
        if let start = request.start, start > .zero, info.isSeekable {
            // Decoders need some packets before the first one that counts.
            _ = try source.seek(to: max(.zero, start - .milliseconds(500)))
        }
        while !tally.isDone, let packet = try source.readPacket() {
            try control.check()
            guard packet.streamIndex == stream.index else { continue }
            try node.process(packet) { frame throws(MediaError) in try emit(frame) }
        }
        try control.check()
        for remark in source.remarks { warnings.add(remark, isDamage: true) }
        try node.process(nil) { frame throws(MediaError) in try emit(frame) }
        return Facts(
            info: info, stream: stream, warnings: warnings.messages,
            isDamaged: warnings.isDamaged)
    }

    private func chosen(_ info: MediaInfo) throws(MediaError) -> StreamInfo {
        switch request.audio {
        case .best:
            if let stream = info.bestStream(.audio) { return stream }
            throw MediaError(.noSuchStream, "\(info.url.printable) has no stream of sound")
        case .stream(let index):
            if let stream = info.streams.first(where: { $0.index == index && $0.kind == .audio }) {
                return stream
            }
            throw MediaError(
                .noSuchStream, "\(info.url.printable) has no stream of sound \(index)")
        }
    }
}
