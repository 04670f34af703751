// Playing, pausing, seeking, other streams and the end.

internal import MediaCore
internal import MediaModel
internal import Pipeline
internal import Synchronization

extension PlaybackEngine {
    /// Moves or holds the clock as the user wants.
    func followIntent() {
        let intent = facts.snapshot.withLock { $0.intent }
        switch state {
        case .ready:
            if intent.wantsToPlay { facts.clock.run() } else { facts.clock.stop() }
        case .ended:
            // A call that came before the end has had what it asked for.
            if intent.playsAgain {
                begin(at: configuration.start ?? .zero, exact: true, reply: nil)
            }
        case .idle, .opening, .buffering, .failed: break
        }
        tellStatus()
    }

    /// A lane has its first frame, or has none.
    func primed(_ lane: Int, _ epoch: Epoch, _ time: MediaTime?) {
        guard let session, epoch == session.epoch, session.lanes[lane] != nil else { return }
        if session.starved.remove(lane) == nil { session.primed[lane] = .some(time) }
        readyIfPrimed()
    }

    /// Goes on once each lane has what it begins with: at the first frame after a seek, else where
    /// the clock was stopped.
    private func readyIfPrimed() {
        guard let session, state == .buffering, session.isPrimed else { return }
        if !session.hasBegun {
            session.hasBegun = true
            let first = session.primed.values.compactMap { $0 }.min()
            let position = first ?? seeking?.time ?? facts.clock.position
            session.clock.enter(session.epoch, at: max(.zero, position))
        }
        become(.ready)
        if let seeking {
            self.seeking = nil
            let position = facts.clock.position
            post(.seekDone(position))
            if let reply = seeking.reply { answer(reply, .success(position)) }
        }
        followIntent()
    }

    /// A lane ran dry in the middle: the clock waits for it.
    func starved(_ lane: Int, _ epoch: Epoch) {
        guard let session, epoch == session.epoch, session.lanes[lane] != nil else { return }
        session.starved.insert(lane)
        noteLateness(of: lane)
        guard state == .ready else { return }
        facts.clock.stall()
        become(.buffering)
    }

    /// A lane has nothing for some time, or to the end: the others go on without it.
    func missing(_ lane: Int, _ epoch: Epoch) {
        guard let session, epoch == session.epoch, session.lanes[lane] != nil else { return }
        if session.primed[lane] == nil { session.primed[lane] = .some(nil) }
        session.starved.remove(lane)
        readyIfPrimed()
    }

    /// Goes to another place.
    func seek(_ time: MediaTime, _ precision: SeekPrecision, _ reply: Reply<MediaTime>) {
        if goesOver(to: time, reply) { return }
        guard let session, let info = session.info, opening == nil else {
            answer(reply, .failure(MediaError(.invalidState, "seek: nothing is open")))
            return
        }
        guard info.isSeekable else {
            let error = MediaError(.badArgument, "\(info.url.printable) can't be sought in")
            answer(reply, .failure(error))
            return
        }
        if session.output?.isContainer == true,
            !session.drained.isEmpty || session.output?.copiesStreams == true
        {
            let error = MediaError(
                .invalidState, "seek: the output can't go on from another place")
            answer(reply, .failure(error))
            return
        }
        let target = max(.zero, info.duration.map { min(time, $0) } ?? time)
        begin(at: target, exact: precision == .exact, reply: reply)
    }

    /// Begins an epoch at a place.
    func begin(at time: MediaTime, exact: Bool, reply: Reply<MediaTime>?) {
        guard let session else { return }
        if let old = seeking?.reply {
            answer(
                old, .failure(MediaError(.cancelled, "seek: another one came before it was done")))
        }
        seeking = (time, reply)
        backup.spell = nil
        if state != .buffering { become(.buffering) }
        session.begin(at: time, exact: exact)
        readyIfPrimed()
    }

    /// Plays another stream of a kind, or none.
    func select(_ kind: MediaKind, _ index: Int?) throws(MediaError) {
        guard let session, let info = session.info, opening == nil, let output = session.output
        else { throw MediaError(.invalidState, "select: nothing is open") }
        if output.isContainer {
            throw MediaError(.invalidState, "select: the streams of the output are fixed")
        }
        let old = facts.snapshot.withLock { $0.selected[kind] }
        if old == index { return }
        var stream: StreamInfo?
        if let index {
            stream = info.streams.first { $0.index == index && $0.kind == kind }
            if stream == nil || (kind != .audio && kind != .video) {
                throw MediaError(
                    .noSuchStream, "\(info.url.printable) has no \(kind.rawValue) stream \(index)")
            }
        }
        // Before the old one goes, which plays on where nothing decodes the new one.
        if let stream { note(try choice(for: stream), stream: stream.index) }
        let position = facts.clock.position
        if let old { session.remove(old) }
        if let stream {
            let end = try output.end(of: stream.index)
            addLane(session, stream, end, isLate: true)
        }
        facts.snapshot.withLock { $0.selected[kind] = index }
        session.control.select(Set(session.lanes.keys))
        post(.trackChanged(kind, stream: index))
        if stream != nil, info.isSeekable {
            begin(at: position, exact: true, reply: nil)
        } else if stream == nil {
            readyIfPrimed()
            endIfDrained()
        }
    }

    /// Refuses a part that lies behind the end; of a container the writer sees to it.
    private func checkPart(_ session: PlaySession) throws(MediaError) {
        guard configuration.start != nil || configuration.duration != nil,
            session.output?.isContainer == false, facts.counts.all.isEmpty
        else { return }
        throw MediaError(
            .badArgument,
            "\(session.info?.url.printable ?? ""): nothing lies in the part that was asked for")
    }

    /// Ends playback once everything has gone out.
    func endIfDrained() {
        guard let session, session.isDrained, state == .ready || state == .buffering else { return }
        if state == .buffering { become(.ready) }
        do throws(MediaError) {
            try checkPart(session)
            try session.output?.finish()
        } catch {
            if !session.cancellation.isCancelled { fail(error) }
            return
        }
        facts.clock.stop()
        // What has come to its end needs no other URL.
        backup.question = nil
        become(.ended)
    }
}

extension PlayOutput {
    /// Whether packets of some stream go to the container as they are.
    var copiesStreams: Bool {
        ends.values.contains { if case .copied = $0 { true } else { false } }
    }
}
