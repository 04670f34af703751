// Opening: hooks, the source, the choice of streams, the lanes.

internal import MediaCore
internal import MediaModel
internal import Pipeline
internal import Synchronization

extension PlaybackEngine {
    /// How often a hook may name another URL.
    private static let maximumAttempts = 5

    /// Closes what is open and begins to open another medium.
    func open(_ url: String, _ reply: Reply<MediaInfo>) {
        endSession()
        abandonRequests()
        if state != .idle { become(.idle) }
        facts.snapshot.withLock { snapshot in
            let wantsToPlay = snapshot.intent.wantsToPlay
            snapshot.intent = PlayerIntent()
            // Calls that came behind the call of open are about this medium.
            snapshot.intent.wantsToPlay =
                snapshot.unheardCalls > 0 ? wantsToPlay : configuration.autoplay
            snapshot.info = nil
            snapshot.selected = [:]
        }
        facts.clock.enter(Epoch(), at: configuration.start ?? .zero)
        facts.counts.reset()
        backup = BackupState()
        opening = Opening(reply: reply, url: url)
        become(.opening)
        runHook(.beforeOpen, from: 0, error: nil)
    }

    // MARK: - Hooks

    /// Calls the next handler of a hook, or goes on where there is none.
    private func runHook(_ kind: PlayerHook, from index: Int, error: MediaError?) {
        guard let url = opening?.url else { return }
        guard let next = hooks[index...].firstIndex(where: { $0.hook == kind }) else {
            opening?.hook = nil
            hooksDone(kind, error)
            return
        }
        sessions += 1
        let number = sessions
        opening?.hook = (kind, next + 1, number, error)
        opening?.deadline = time.now + configuration.hookTimeout
        let mailbox = facts.mailbox
        hooks[next].handler(
            HookRequest(hook: kind, url: url, error: error) { url in
                mailbox.post(.hookAnswered(number: number, url: url))
            })
    }

    func hookAnswered(_ number: Int, _ url: String?) {
        if number == backup.question?.number { return backupAnswered(url) }
        guard let hook = opening?.hook, hook.number == number else { return }
        if let url { opening?.url = url }
        if url != nil, hook.kind == .openFailed {
            retry()
        } else {
            runHook(hook.kind, from: hook.next, error: hook.error)
        }
    }

    private func hooksDone(_ kind: PlayerHook, _ error: MediaError?) {
        switch kind {
        case .beforeOpen: startSession()
        case .openFailed:
            fail(error ?? MediaError(.inputFailed, "opening failed"))
        case .backupURL: break
        }
    }

    private func retry() {
        opening?.hook = nil
        startSession()
    }

    func openTimedOut() {
        if let hook = opening?.hook {
            post(.warning("a \(hook.kind.rawValue) hook did not answer in time"))
            runHook(hook.kind, from: hook.next, error: hook.error)
            return
        }
        let url = opening?.url.printable ?? ""
        fail(
            MediaError(
                .timedOut, "open \(url): nothing came in \(configuration.openTimeout.seconds) s"))
    }

    // MARK: - The session

    /// Opens what is to be opened.
    func startSession() {
        guard var opening else { return }
        backup.url = opening.url
        backup.used.insert(opening.url)
        opening.attempts += 1
        opening.deadline = time.now + configuration.openTimeout
        self.opening = opening
        sessions += 1
        let number = sessions
        let session = PlaySession(number: number, clock: facts.clock)
        self.session = session
        facts.begin(session.cancellation)
        let mailbox = facts.mailbox
        session.open(opening.url, registry: registry, files: files) { report in
            mailbox.post(.report(report, session: number))
        }
    }

    func openFailed(_ error: MediaError) {
        endSession()
        guard let opening else { return }
        var error = error
        if let (from, reason) = opening.backup {
            error = MediaError(
                error.code, "\(error.message), in place of \(from.printable): \(reason.message)",
                underlying: error.underlying)
        }
        guard opening.attempts < PlaybackEngine.maximumAttempts else {
            fail(error)
            return
        }
        runHook(.openFailed, from: 0, error: error)
    }

    func opened(_ info: MediaInfo) {
        guard let session, let opening, !asksInstead(of: info) else { return }
        var info = info
        session.info = info
        do throws(MediaError) {
            let selected = try arrange(session, &info)
            session.info = info
            try makeLanes(session, info)
            facts.snapshot.withLock { snapshot in
                snapshot.info = info
                snapshot.selected = selected
            }
        } catch {
            // What was let go is about to be ended.
            if !session.cancellation.isCancelled { fail(error) }
            return
        }
        guard facts.keep() else { return }
        self.opening = nil
        if let (from, reason) = opening.backup {
            post(.switchedToBackup(from: from, to: opening.url, reason))
        }
        post(.mediaInfo(info))
        if state == .opening { become(.buffering) }
        session.begin(at: opening.start ?? configuration.start ?? .zero, exact: true)
        answer(opening.reply, .success(info))
    }

    /// The streams that play at first, by kind.
    ///
    /// - Parameter refused: streams that nothing decodes.
    func choose(
        _ info: MediaInfo, without refused: Set<Int>
    ) throws(MediaError) -> [MediaKind: Int] {
        let kinds = try registry.sink(named: configuration.sink).container?.kinds
        var candidates = info
        candidates.streams.removeAll { refused.contains($0.index) }
        var selected: [MediaKind: Int] = [:]
        for kind in [MediaKind.audio, .video] {
            let isDisabled =
                kind == .audio ? configuration.disablesAudio : configuration.disablesVideo
            guard !isDisabled, kinds?.contains(kind) ?? true else { continue }
            selected[kind] = candidates.bestStream(kind)?.index
        }
        guard selected.isEmpty else { return selected }
        throw MediaError(
            .noSuchStream, "\(info.url.printable) has no stream that the sink can take")
    }

    private func makeLanes(_ session: PlaySession, _ info: MediaInfo) throws(MediaError) {
        var streams: Set<Int> = []
        for (index, end) in session.output?.ends ?? [:] {
            guard let stream = info.streams.first(where: { $0.index == index }) else { continue }
            streams.insert(index)
            if case .copied(let writer, let lane) = end {
                let copy = try CopyLane(
                    stream, to: writer, lane: lane, part: copyPart(info))
                session.routes.set(CopyEnd(copy), stream: index)
            } else {
                addLane(session, stream, end, isLate: false)
            }
        }
        session.control.select(streams)
    }

    private func copyPart(_ info: MediaInfo) -> CopyLane.Part {
        var part = CopyLane.Part()
        part.shift = info.startTime + (configuration.start ?? .zero)
        part.start = configuration.start.map { $0 + info.startTime }
        part.end = configuration.duration.map { part.shift + $0 }
        part.leadsIn = true
        return part
    }

    /// Makes a lane and starts it.
    ///
    /// - Parameter isLate: whether playback is under way, so that nothing of the stream may be left.
    func addLane(
        _ session: PlaySession, _ stream: StreamInfo, _ end: PlayOutput.End, isLate: Bool
    ) {
        guard let info = session.info else { return }
        if stream.kind == .audio { session.chainControl = ChainControl() }
        let maker = LaneMaker(
            registry: registry, configuration: configuration, info: info, clock: session.clock,
            facts: session.output?.facts, warnings: warnings(of: session),
            counts: facts.counts, report: reporter(session))
        let lane = maker.makeLane(
            stream, end: end, filters: filters, control: session.chainControl, isLate: isLate)
        session.lanes[stream.index] = lane
        // Before packets or their end can come: a source that can't go back sends no other ones.
        if isLate { session.join(lane) }
        session.routes.set(lane, stream: stream.index)
        lane.start()
    }

    private func reporter(_ session: PlaySession) -> @Sendable (SessionReport) -> Void {
        let mailbox = facts.mailbox
        let number = session.number
        return { report in mailbox.post(.report(report, session: number)) }
    }

    func warnings(of session: PlaySession) -> WarningLog {
        let report = reporter(session)
        return WarningLog(category: "player", level: .warning) { report(.warning($0)) }
    }
}
