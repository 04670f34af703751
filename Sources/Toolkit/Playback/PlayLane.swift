// The two threads of one stream that plays: decoding, and going out.

internal import MediaCore
internal import MediaModel
internal import Pipeline
internal import Synchronization

/// Plays one stream: a thread decodes ahead, another one filters and hands to the sink when due.
///
/// Filters stand right before the sink, so that a change is heard at once; in real time sound is
/// cut into blocks of 20 ms and goes through them at most 40 ms early.
final class PlayLane: Sendable {
    /// The nodes and limits of a lane.
    struct Setup: Sendable {
        var stream: StreamInfo
        /// Packets into frames of the part that plays.
        var makeDecoder: @Sendable () throws(MediaError) -> any Node<Packet, Frame>
        /// Frames to where they end.
        var makeTail: @Sendable () throws(MediaError) -> LaneTail
        /// Where packets of the tail go.
        var write: @Sendable (Packet?) throws(MediaError) -> Void
        /// Says when the decoder wants no more packets.
        var tally: LaneTally
        var clock: PlaybackClock
        var isPaced: Bool
        var counts: FrameCounts
        /// Ends what a decoder or a filter is in the middle of; cancelled by `close`.
        var stop: CancellationToken
        var report: @Sendable (SessionReport) -> Void
    }

    private enum Item<Value: Sendable>: Sendable {
        case begin(target: MediaTime?)
        case value(Value)
    }

    private static let lead = MediaTime.milliseconds(40)
    private static let block = MediaTime.milliseconds(20)
    private static let patience = MediaTime.milliseconds(100)
    /// How long the reading thread waits for room before it looks at the other lanes.
    private static let moment = MediaTime.milliseconds(100)
    /// A picture that comes so much after its time is late.
    private static let lateness = MediaTime.milliseconds(150)

    /// The index of the stream.
    let index: Int
    private let setup: Setup
    private let packets: BoundedQueue<Item<Packet>>
    private let frames: BoundedQueue<Item<Frame>>
    private let doneEpoch = Atomic<Int>(-1)
    private let isDecoding = Atomic<Bool>(false)
    private let shown = Atomic<Int64>(0)
    private let threads = Mutex<[WorkerThread]>([])

    init(_ setup: Setup) {
        self.setup = setup
        index = setup.stream.index
        packets = BoundedQueue(limit: 2_000_000_000) { item in
            guard case .value(let packet) = item else { return 1 }
            let time = packet.timeBase.time(ticks: packet.duration)
            return Int(max(time.nanoseconds, 1_000_000))
        }
        frames = BoundedQueue(limit: 400_000_000) { item in
            guard case .value(let frame) = item else { return 1 }
            return Int(max(frame.duration.nanoseconds, frame.isAudio ? 1_000_000 : 100_000_000))
        }
    }

    /// Starts both threads.
    func start() {
        let letter = setup.stream.kind == .audio ? "a" : "v"
        threads.withLock { threads in
            threads.append(
                WorkerThread("mk-dec-\(letter)") { [self] in
                    guarded(decode) { .decodingFailed(lane: index, $0) }
                })
            threads.append(
                WorkerThread("mk-out-\(letter)") { [self] in guarded(output) { .failed($0) } })
        }
    }

    // MARK: - From the reading thread and the engine

    /// The kind of its stream.
    var kind: MediaKind { setup.stream.kind }
    /// Where the last frame that has gone out ends.
    var played: MediaTime { MediaTime(nanoseconds: shown.load(ordering: .relaxed)) }
    /// Whether the decoder has what it could make frames of.
    var isBehind: Bool { isDecoding.load(ordering: .relaxed) || packets.fill > 0 }

    /// Whether nothing more is wanted of an epoch.
    func isDone(_ epoch: Epoch) -> Bool { doneEpoch.load(ordering: .relaxed) == epoch.number }
    /// Says that packets of an epoch follow; frames before `target` are not shown.
    func begin(_ epoch: Epoch, target: MediaTime?) {
        _ = packets.push(.begin(target: target), epoch: epoch)
    }
    /// Waits a moment for room, where `reach` times as many packets as usual may wait.
    ///
    /// False where there was none. What comes after the close is dropped.
    func push(_ packet: Packet, _ epoch: Epoch, reach: Int) -> Bool {
        if isDone(epoch) { return true }
        let deadline = SystemTimeSource().now + PlayLane.moment
        return packets.push(.value(packet), epoch: epoch, within: reach, until: deadline) != nil
    }
    /// Whether it has nothing more of an epoch that it could show.
    func isDry(_ epoch: Epoch) -> Bool { !isDone(epoch) && !isBehind && frames.fill == 0 }
    /// Says that no more packets of an epoch come.
    func finish(_ epoch: Epoch) { packets.finish(epoch: epoch) }

    /// Drops everything of older epochs.
    func advance(to epoch: Epoch) {
        packets.advance(to: epoch)
        frames.advance(to: epoch)
    }

    /// Ends both threads without waiting for them.
    func close() {
        setup.stop.cancel()
        packets.close()
        frames.close()
        setup.clock.wake()
    }

    /// Waits for the threads, after `close`.
    func join() {
        for thread in threads.withLock({ $0 }) { thread.join() }
        threads.withLock { $0 = [] }
    }

    private func guarded(
        _ body: () throws(MediaError) -> Void, _ failure: (MediaError) -> SessionReport
    ) {
        do throws(MediaError) {
            try body()
        } catch {
            // What was stopped in the middle, by the close, is no failure.
            if error.code == .cancelled, setup.stop.isCancelled { return }
            setup.report(failure(error))
        }
    }

    // MARK: - The decoding thread

    private func decode() throws(MediaError) {
        let node = try setup.makeDecoder()
        var target: MediaTime?
        var ended: Epoch?
        while true {
            switch packets.pop(knowingEndOf: ended) {
            case .element(.begin(let place), let epoch)?:
                node.flush()
                target = place
                _ = frames.push(.begin(target: place), epoch: epoch)
            case .element(.value(let packet), let epoch)?:
                if isDone(epoch) { continue }
                isDecoding.store(true, ordering: .relaxed)
                defer { isDecoding.store(false, ordering: .relaxed) }
                try node.process(packet) { frame throws(MediaError) in
                    forward(frame, &target, epoch)
                }
                if setup.tally.isDone {
                    doneEpoch.store(epoch.number, ordering: .relaxed)
                    frames.finish(epoch: epoch)
                }
            case .finished(let epoch)?:
                ended = epoch
                if isDone(epoch) { continue }
                try node.process(nil) { frame throws(MediaError) in
                    forward(frame, &target, epoch)
                }
                frames.finish(epoch: epoch)
            case .closed?, nil:
                return
            }
        }
    }

    /// Hands a frame on, without what lies before the place that was sought.
    private func forward(_ frame: Frame, _ target: inout MediaTime?, _ epoch: Epoch) {
        var frame = frame
        if let place = target, let time = frame.time {
            let end = time + frame.duration
            if time < place, end <= place { return }
            if time < place, frame.isAudio {
                let skipped = Int(frame.timeBase.ticks(place) - (frame.pts ?? 0))
                guard skipped < frame.sampleCount else { return }
                if skipped > 0 {
                    frame = frame.slice(from: skipped, count: frame.sampleCount - skipped)
                }
            }
            target = nil
        }
        _ = frames.push(.value(frame), epoch: epoch)
    }

    // MARK: - The output thread

    private func output() throws(MediaError) {
        let tail = try setup.makeTail()
        var ended: Epoch?
        var isFirst = true
        var end = MediaTime.zero
        var present = Epoch()
        while true {
            switch nextFrame(after: end, present, isFirst: &isFirst, ended: ended) {
            case .element(.begin(let target), let epoch)?:
                tail.node.flush()
                present = epoch
                isFirst = true
                end = target ?? .zero
            case .element(.value(let frame), let epoch)?:
                if isFirst {
                    isFirst = false
                    setup.report(.primed(lane: index, epoch, frame.time))
                }
                end = try show(frame, epoch, tail)
            case .finished(let epoch)?:
                ended = epoch
                if isFirst { setup.report(.primed(lane: index, epoch, nil)) }
                guard isDue(end, lead: .zero, epoch) else { continue }
                try tail.node.process(nil) { packet throws(MediaError) in try setup.write(packet) }
                try setup.write(nil)
                setup.report(.drained(lane: index, epoch))
            case .closed?, nil:
                return
            }
        }
    }

    /// The next item; a lane that has none when it is due says so, and again when one has come.
    private func nextFrame(
        after end: MediaTime, _ epoch: Epoch, isFirst: inout Bool, ended: Epoch?
    ) -> BoundedQueue<Item<Frame>>.Item? {
        guard setup.isPaced, !isFirst else { return frames.pop(knowingEndOf: ended) }
        while true {
            let deadline = SystemTimeSource().now + PlayLane.patience
            if let item = frames.pop(until: deadline, knowingEndOf: ended) { return item }
            guard ended != epoch, setup.clock.isRunning(past: end) else { continue }
            isFirst = true
            setup.report(.starved(lane: index, epoch))
            return frames.pop(knowingEndOf: ended)
        }
    }

    /// Waits for a moment; false where it will not come.
    private func isDue(_ time: MediaTime, lead: MediaTime, _ epoch: Epoch) -> Bool {
        setup.clock.wait(until: time, lead: lead, epoch: epoch) {
            setup.stop.isCancelled
        }
    }

    /// Lets a frame pass when it is due, in blocks; gives where it ends.
    private func show(
        _ frame: Frame, _ epoch: Epoch, _ tail: LaneTail
    ) throws(MediaError) -> MediaTime {
        let end = (frame.time ?? .zero) + frame.duration
        var start = 0
        let isCut = frame.isAudio && setup.isPaced
        let limit =
            isCut ? max(1, Int(TimeBase(1, Int32(frame.sampleRate)).ticks(PlayLane.block))) : .max
        if isCut { tail.rejoin?.expect(frame.sampleCount, rate: frame.sampleRate) }
        repeat {
            let count = min(limit, frame.sampleCount - start)
            let part = frame.isAudio ? frame.slice(from: start, count: count) : frame
            let time = part.time ?? .zero
            guard isDue(time, lead: PlayLane.lead, epoch) else { return end }
            try tail.node.process(part) { packet throws(MediaError) in try setup.write(packet) }
            shown.store((time + part.duration).nanoseconds, ordering: .relaxed)
            if setup.isPaced, kind == .video, isBehind,
                setup.clock.isRunning(past: time + PlayLane.lateness)
            {
                setup.report(.late(lane: index, epoch))
            }
            setup.clock.note(written: time + part.duration, epoch: epoch)
            start += count
        } while start < frame.sampleCount
        setup.counts.add(setup.stream.kind)
        return end
    }
}
