// The course of one transcoding: lanes, reading, the end.

package import MediaCore
package import MediaModel

/// Moves one opened source into one muxer.
///
/// Threading: confined to the thread that reads.
final class TranscodeRun {
    private let request: TranscodeRequest
    private let source: any MediaSource
    private let info: MediaInfo
    private let plan: OutputPlan
    private let writer: MuxWriter
    private let control: RunControl
    private let warnings: WarningLog
    private let progress: (MediaTime, MediaTime?) -> Void
    private let clock = SystemTimeSource()
    private var lanes: [Int: any Lane] = [:]
    private var tallies: [LaneTally] = []
    private var feed: FeedLane?
    /// Whether packets are written in the order in which what they are made from was read.
    private let hasTurns: Bool
    /// How far the input was read, where a feed keeps step with that.
    private var reach = MediaTime.zero
    private var nextTick = MediaTime.zero

    init(
        _ request: TranscodeRequest, _ source: any MediaSource, registry: PluginRegistry,
        into file: (any OpenFile)?, control: RunControl,
        progress: @escaping (MediaTime, MediaTime?) -> Void
    ) throws(MediaError) {
        self.request = request
        self.source = source
        self.control = control
        self.progress = progress
        warnings = WarningLog()
        let info = source.info
        let plan = try OutputPlan(info, request, registry: registry, warnings: warnings)
        self.info = info
        self.plan = plan
        let kept = info.streams.filter { plan.keeps($0.index) }
        for stream in kept where request.feed == nil || stream.index != plan.audio?.index {
            // Told before anything is written.
            guard plan.decodes(stream.index) else { continue }
            _ = try registry.decoderChoice(for: stream)
            try registry.admit(stream)
        }
        let shift = request.start ?? .zero
        hasTurns = request.threading == .pipelined && kept.count > 1
        writer = MuxWriter(
            try registry.muxer().makeMuxer(
                plan.muxer, into: plan.facts.writesOwnFiles ? nil : file),
            lanes: kept.count, metadata: plan.metadata,
            chapters: request.preset.copiesUntouched
                ? info.chapters.cut(from: shift, duration: request.duration) : [],
            isPart: request.start != nil || request.duration != nil, name: info.url)
        do {
            let hasLead = try seek(kept)
            for (index, stream) in kept.enumerated() {
                try addLane(stream, index, registry: registry, hasLead: hasLead)
            }
        } catch {
            control.fail(error)
            join()
            throw error
        }
    }

    /// Does the work.
    func run() throws(MediaError) -> TranscodeReport {
        do {
            try read()
            for (_, lane) in lanes.sorted(by: { $0.key < $1.key }) {
                try lane.finish(turn: try beginTurn())
            }
            try pullFeed(until: nil)
            if request.threading == .pipelined {
                try control.wait(lanes: tallies.count) { tick() }
            }
        } catch {
            control.fail(error)
        }
        join()
        try control.check()
        for tally in tallies.map(\.report) where tally.frames == 0 {
            throw MediaError(
                .badArgument,
                "\(info.url.printable): nothing of \(tally.kind.rawValue) stream \(tally.index) lies "
                    + "in the part that was asked for")
        }
        try writer.finish()
        progress(position, length)
        return report
    }

    private func join() {
        for lane in lanes.values { lane.join() }
        feed?.join()
    }

    private var report: TranscodeReport {
        var report = TranscodeReport(
            input: info, container: plan.facts.name, encoded: tallies.map(\.report), copied: [],
            dropped: [], warnings: warnings.messages, isDamaged: warnings.isDamaged)
        for stream in info.streams {
            switch plan.fates[stream.index] {
            case .copied: report.copied.append(stream.index)
            case .dropped, nil: if !plan.isMadeAnew(stream) { report.dropped.append(stream.index) }
            case .encoded: break
            }
        }
        return report
    }

    // MARK: - Reading

    private func read() throws(MediaError) {
        guard !lanes.isEmpty else { return }
        while let packet = try source.readPacket() {
            try control.check()
            guard let lane = lanes[packet.streamIndex] else { continue }
            note(packet)
            if !lane.isDone {
                try lane.push(packet, turn: try beginTurn())
            } else if lanes.values.allSatisfy(\.isDone) {
                return
            }
            try pullFeed(until: reach)
            tick()
        }
        try control.check()
        for remark in source.remarks { warnings.add(remark, isDamage: true) }
    }

    /// The next turn, once there is room for it; nil where turns are not counted.
    private func beginTurn() throws(MediaError) -> Int? {
        guard hasTurns else { return nil }
        while !writer.waitForRoom(until: clock.now + .milliseconds(5)) {
            try control.check()
            // Stages sleep on a little that is all they will get until this thread goes on.
            for lane in lanes.values { lane.nudge() }
            feed?.nudge()
            tick()
        }
        return writer.beginTurn()
    }

    private func note(_ packet: Packet) {
        guard feed != nil,
            let stream = info.streams.first(where: { $0.index == packet.streamIndex }),
            !stream.isAttachedPicture, stream.kind != .attachment,
            let ticks = packet.dts ?? packet.pts
        else { return }
        let origin = info.startTime + (request.start ?? .zero)
        reach = max(reach, packet.timeBase.time(ticks: ticks) - origin)
    }

    private func pullFeed(until limit: MediaTime?) throws(MediaError) {
        guard let feed, feed.isBehind(limit) else { return }
        try feed.pull(until: limit, turn: try beginTurn()) { () throws(MediaError) in
            try control.check()
            tick()
        }
    }

    private func tick() {
        let now = clock.now
        guard now >= nextTick else { return }
        nextTick = now + .milliseconds(100)
        progress(position, length)
    }

    private var position: MediaTime {
        if let tally = tallies.first { return tally.position }
        return lanes.values.map(\.position).max() ?? .zero
    }

    private var length: MediaTime? {
        let rest = info.duration.map { $0 - (request.start ?? .zero) }
        guard let wanted = request.duration else { return rest }
        return rest.map { min($0, wanted) } ?? wanted
    }

    /// Moves to the start of the part; whether pictures lead up to it from a keyframe.
    private func seek(_ kept: [StreamInfo]) throws(MediaError) -> Bool {
        let read = kept.filter { request.feed == nil || $0.index != plan.audio?.index }
        source.select(Set(read.map(\.index)))
        guard let start = request.start, start > .zero, info.isSeekable, !read.isEmpty else {
            return false
        }
        let copiesPictures = read.contains { $0.kind == .video && !$0.isAttachedPicture }
        // Decoders of sound need some packets before the first one that counts.
        let lead = copiesPictures ? MediaTime.zero : .milliseconds(500)
        _ = try source.seek(to: max(.zero, start - lead))
        return copiesPictures
    }

    // MARK: - Lanes

    private func addLane(
        _ stream: StreamInfo, _ index: Int, registry: PluginRegistry, hasLead: Bool
    ) throws(MediaError) {
        guard case .encoded(let encode)? = plan.fates[stream.index] else {
            var part = CopyLane.Part()
            part.shift = info.startTime + (request.start ?? .zero)
            part.start = request.start.map { $0 + info.startTime }
            part.end = request.duration.map { part.shift + $0 }
            part.leadsIn = hasLead
            lanes[stream.index] = try CopyLane(
                plan.template(stream), to: writer, lane: index, part: part)
            return
        }
        let tally = LaneTally(
            EncodedStream(
                index: stream.index, kind: stream.kind, encoder: encode.encoder, codec: ""))
        tallies.append(tally)
        let end = LaneEnd(writer: writer, index: index, tally: tally)
        let builder = LaneBuilder(
            request: request, info: info, stream: stream, encode: encode, facts: plan.facts,
            registry: registry, warnings: warnings, isMain: stream.index == plan.audio?.index,
            stop: control.token)
        let nodes = builder.nodes(end)
        let isInline = request.threading == .inline
        if let frames = request.feed, stream.index == plan.audio?.index {
            feed = try FeedLane(frames, nodes, end: end, run: isInline ? nil : control)
        } else if isInline {
            lanes[stream.index] = try InlineLane(nodes, end: end)
        } else {
            let name = "\(stream.kind == .audio ? "a" : "v")\(stream.index)"
            lanes[stream.index] = ThreadedLane(nodes, end: end, name: name, run: control)
        }
    }
}

extension OutputPlan {
    /// Whether the output has the stream with this index.
    func keeps(_ index: Int) -> Bool {
        switch fates[index] {
        case .copied, .encoded: true
        case .dropped, nil: false
        }
    }

    /// Whether a stream is decoded and encoded anew.
    func decodes(_ index: Int) -> Bool {
        if case .encoded = fates[index] { true } else { false }
    }
}

extension [Chapter] {
    /// The chapters of a part, on its own time.
    package func cut(from start: MediaTime, duration: MediaTime?) -> [Chapter] {
        if start == .zero, duration == nil { return self }
        return compactMap { chapter in
            var chapter = chapter
            chapter.start = Swift.max(.zero, chapter.start - start)
            chapter.end = chapter.end - start
            if let duration { chapter.end = Swift.min(chapter.end, duration) }
            return chapter.end > chapter.start ? chapter : nil
        }
    }
}
