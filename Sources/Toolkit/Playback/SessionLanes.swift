// The lanes of a session from its output and the filters.

internal import MediaCore
internal import MediaModel
internal import Pipeline

/// Makes the lanes of one medium.
struct LaneMaker {
    var registry: PluginRegistry
    var configuration: PlayerConfiguration
    var info: MediaInfo
    var clock: PlaybackClock
    var facts: ContainerFacts?
    var warnings: WarningLog
    var counts: FrameCounts
    var report: @Sendable (SessionReport) -> Void

    /// A lane that is not started yet.
    func makeLane(
        _ stream: StreamInfo, end: PlayOutput.End,
        filters: [(id: Int, spec: FilterSpec)], control: ChainControl, isLate: Bool
    ) -> PlayLane {
        let tally = LaneTally(EncodedStream(index: stream.index, kind: stream.kind))
        let stop = CancellationToken()
        let maker = TailMaker(
            registry: registry, stream: stream, configuration: configuration, facts: facts,
            filters: stream.kind == .audio ? filters.map(\.spec) : [], ids: filters.map(\.id),
            control: control, stop: stop, warnings: warnings, report: report)
        let (tail, write) = maker.make(end)
        // The decoder is made on the lane's own thread, perhaps after its plugin was switched off;
        // filters that are added later may be of plugins that come later.
        let decoders = registry.frozen()
        let (warnings, report) = (warnings, report)
        let usesDevices = stream.kind == .video && configuration.enablesHardwareDecoder
        let (origin, start) = (info.startTime, configuration.start)
        let duration = configuration.duration
        return PlayLane(
            PlayLane.Setup(
                stream: stream,
                makeDecoder: { () throws(MediaError) in
                    let request = DecoderRequest(threads: stream.kind == .video ? 0 : 1)
                    let decoder = try decoders.makeDecoder(
                        stream, request, usesDevices: usesDevices,
                        chosen: { report(.decoder(stream: stream.index, $0)) },
                        switched: { report(.switched(stream: stream.index, $0)) })
                    let decode = DecodeNode(
                        stream, decoder: decoder, origin: origin, warnings: warnings,
                        startsInside: isLate || start ?? .zero > .zero, mayBeEmpty: isLate,
                        stop: stop)
                    guard let duration else { return decode }
                    let end = (start ?? .zero) + duration
                    return Joined(
                        decode,
                        TrimNode(start: nil, duration: end, keepsTime: true, tally: tally))
                },
                makeTail: tail, write: write, tally: tally, clock: clock,
                isPaced: configuration.clock == .realtime, counts: counts, stop: stop,
                report: report))
    }
}

/// Makes what a lane runs behind its queue of frames.
private struct TailMaker: Sendable {
    var registry: PluginRegistry
    var stream: StreamInfo
    var configuration: PlayerConfiguration
    var facts: ContainerFacts?
    var filters: [FilterSpec]
    var ids: [Int]
    var control: ChainControl
    var stop: CancellationToken
    var warnings: WarningLog
    var report: @Sendable (SessionReport) -> Void

    typealias Tail = @Sendable () throws(MediaError) -> LaneTail
    typealias Write = @Sendable (Packet?) throws(MediaError) -> Void

    func make(_ end: PlayOutput.End) -> (Tail, Write) {
        switch end {
        case .frames(let sink):
            return (
                { () throws(MediaError) in
                    let last = SinkNode(sink, stream: stream.index)
                    guard stream.kind == .audio else { return LaneTail(node: last) }
                    return LaneTail(node: Joined(makeChain(nil), last))
                }, { _ throws(MediaError) in }
            )
        case .encoded(let plan, let writer, let lane):
            return (
                { () throws(MediaError) in makeEncoding(plan, writer, lane) },
                { packet throws(MediaError) in
                    if let packet {
                        try writer.write(packet, lane: lane)
                    } else {
                        try writer.close(lane)
                    }
                }
            )
        case .copied:
            return (
                { () throws(MediaError) in
                    throw MediaError(.internalError, "copied streams have no frames")
                }, { _ throws(MediaError) in }
            )
        }
    }

    private func makeChain(_ plan: EncodePlan?) -> any Node<Frame, Frame> {
        let numbered = zip(ids, filters).map { (id: $0.0, spec: $0.1) }
        return ChainNode(
            numbered: numbered, registry: registry, accepting: plan?.audio ?? AudioFormatSet(),
            control: control, stop: stop
        ) { [report, stream, warnings] event in
            switch event {
            case .ignored(let id, let spec, let running, let reasons):
                report(.chain(.ignored(id: id, spec, running: running, reasons)))
            case .failed(let id, let spec, let running, let error):
                report(.chain(.failed(id: id, spec, running: running, error)))
            case .format(let format):
                report(.chain(.format(stream: stream.index, format)))
            case .converted(let old, let new):
                if let sentence = plan?.sentence(stream, from: old, to: new) {
                    warnings.add(sentence)
                }
            }
        }
    }

    private func makeEncoding(_ plan: EncodePlan, _ writer: MuxWriter, _ lane: Int) -> LaneTail {
        let encode = EncodeNode { [registry, stream, facts] frame throws(MediaError) in
            try plan.makeEncoder(
                frame, stream, registry: registry,
                wantsGlobalHeader: facts?.wantsGlobalHeader ?? false, writer, lane: lane)
        }
        let timeline = OutputTimeline(origin: configuration.start ?? .zero)
        guard stream.kind == .audio else {
            let pictures = PictureNode(
                frameRate: stream.frameRate ?? Ratio(25, 1), accepted: plan.pixelFormats
            ) { [registry] formats in
                registry.rawFilters?.makeVideoConverter(pixelFormats: formats)
            }
            return LaneTail(node: Joined(Joined(timeline, pictures), encode))
        }
        let chain = makeChain(plan)
        let rejoin = configuration.clock == .realtime ? RejoinNode(chain) : nil
        let filtered: any Node<Frame, Frame> = rejoin ?? chain
        return LaneTail(node: Joined(Joined(filtered, timeline), encode), rejoin: rejoin)
    }
}
