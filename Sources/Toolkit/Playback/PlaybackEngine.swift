// The one loop that takes commands and reports and owns all state of a player.

internal import MediaCore
internal import MediaModel
internal import Pipeline
internal import Synchronization

/// Owns the state of a player.
///
/// It runs on one thread, `mk-engine`. Commands and what the stages report come through one
/// mailbox, in order; events go out through one bus. A seek or another place is an *epoch*: the
/// queues drop what is older, so that no stage is ever stopped for it. Nothing here decodes or
/// waits for media. Threading: confined.
final class PlaybackEngine {
    let registry: PluginRegistry
    let configuration: PlayerConfiguration
    let files: any FileSystem
    let time: any TimeSource
    let facts: PlayerFacts

    var session: PlaySession?
    var sessions = 0
    /// What `open` is waiting for.
    var opening: Opening?
    var seeking: (time: MediaTime, reply: Reply<MediaTime>?)?
    var filters: [(id: Int, spec: FilterSpec)] = []
    var nextFilter = 0
    var hooks: [(hook: PlayerHook, handler: @Sendable (HookRequest) -> Void)] = []
    var endWaiters: [Reply<Void>] = []
    var backup = BackupState()

    private var observers: [Observer] = []
    private var answers: [() -> Void] = []
    private var lastStatus = PlayerStatus.idle
    private var nextPositionEvent: MediaTime?
    private var isClosing = false

    private struct Observer {
        var id: Int
        var property: PlayerProperty
        var receive: @Sendable (JSON) -> Void
        var last: JSON
    }

    /// One call of `open` under way.
    struct Opening {
        var reply: Reply<MediaInfo>
        var url: String
        var attempts = 0
        var deadline: MediaTime?
        /// Where playback goes on, for a URL in place of one that played.
        var start: MediaTime?
        /// What it stands in for, and why.
        var backup: (from: String, reason: MediaError)?
        /// The hook that is waited for.
        var hook: (kind: PlayerHook, next: Int, number: Int, error: MediaError?)?
    }

    init(
        registry: PluginRegistry, configuration: PlayerConfiguration, files: any FileSystem,
        time: any TimeSource, facts: PlayerFacts
    ) {
        self.registry = registry
        self.configuration = configuration
        self.files = files
        self.time = time
        self.facts = facts
    }

    /// Answers a caller at the end of this turn, when every listener knows what came of it.
    func answer<Value>(_ reply: Reply<Value>, _ result: Result<Value, MediaError>) {
        answers.append { reply.complete(result) }
    }

    /// The body of the engine's thread.
    func run() {
        while !isClosing {
            let deadline = nextDeadline.flatMap { time.systemDeadline($0) }
            for message in facts.mailbox.receive(until: deadline) {
                if isClosing { refuse(message) } else { handle(message) }
            }
            keepTime()
            publish()
            let answers = self.answers
            self.answers = []
            for answer in answers { answer() }
        }
        facts.events.close()
    }

    private func handle(_ message: EngineMessage) {
        switch message {
        case .open(let url, let reply):
            facts.heardEnding()
            open(url, reply)
        case .giveUp(let reply): if opening?.reply === reply { stop() }
        case .intentChanged:
            facts.snapshot.withLock { $0.unheardCalls -= 1 }
            followIntent()
        case .seek(let time, let precision, let reply): seek(time, precision, reply)
        case .stop(let reply):
            facts.heardEnding()
            stop()
            answer(reply, .success(()))
        case .select(let kind, let stream, let reply):
            answer(reply, Result { () throws(MediaError) in try select(kind, stream) })
        case .filters(let change, let reply):
            answer(reply, Result { () throws(MediaError) in try apply(change) })
        case .observe(let id, let property, let receive):
            let value = property.read(snapshot)
            observers.append(Observer(id: id, property: property, receive: receive, last: value))
            receive(value)
        case .unobserve(let id): observers.removeAll { $0.id == id }
        case .addHook(let hook, let handler): hooks.append((hook, handler))
        case .hookAnswered(let number, let url): hookAnswered(number, url)
        case .awaitEnd(let reply): awaitEnd(reply)
        case .report(let report, let number):
            // What was let go is about to be ended, and its errors are of that.
            if let session, number == session.number, !session.cancellation.isCancelled {
                take(report)
            }
        case .close: close()
        }
    }

    private func take(_ report: SessionReport) {
        switch report {
        case .opened(let info): opened(info)
        case .openFailed(let error): openFailed(error)
        case .primed(let lane, let epoch, let time): primed(lane, epoch, time)
        case .starved(let lane, let epoch): starved(lane, epoch)
        case .missing(let lane, let epoch): missing(lane, epoch)
        case .late(let lane, let epoch): if epoch == session?.epoch { noteLateness(of: lane) }
        case .drained(let lane, let epoch):
            guard let session, epoch == session.epoch, session.lanes[lane] != nil else { return }
            session.drained.insert(lane)
            endIfDrained()
        case .sourceEnded(let epoch):
            guard let session, epoch == session.epoch else { return }
            session.hasSourceEnded = true
            endIfDrained()
        case .chain(let event): take(event)
        case .warning(let message): post(.warning(message))
        case .decoder(let stream, let choice): decoderMade(stream, choice)
        case .switched(let stream, let change):
            Log.info("player", "video stream \(stream): on in software: \(change.reason.message)")
            post(
                .switchedToSoftwareDecoder(
                    stream: stream, device: change.device, change.reason))
        case .decodingFailed(let lane, let error):
            if session?.lanes[lane] != nil { decodingFailed(lane, error) }
        case .failed(let error): fail(error)
        }
    }

    // MARK: - State

    var state: PlayerState { facts.snapshot.withLock { $0.state } }

    /// What holds now, with the position of this moment.
    var snapshot: PlayerSnapshot { facts.now }

    func post(_ event: PlayerEvent) { facts.events.post(event) }

    /// Changes the state and tells it.
    func become(_ next: PlayerState) {
        let old = state
        guard old != next else { return }
        precondition(old.canBecome(next), "\(old.name) can't become \(next.name)")
        facts.snapshot.withLock { snapshot in
            snapshot.state = next
            snapshot.intent.playsAgain = false
            snapshot.noteStart()
        }
        post(.stateChanged(next))
        tellStatus()
        if next == .ended { post(.ended) }
        answerWaiters()
    }

    /// Tells the status where it is another.
    func tellStatus() {
        let status = facts.snapshot.withLock { $0.status }
        guard status != lastStatus else { return }
        lastStatus = status
        post(.statusChanged(status))
    }

    /// Ends the medium because of an error.
    func fail(_ error: MediaError) {
        guard state != .idle else { return }
        if case .failed = state { return }
        facts.clock.stop()
        endSession()
        become(.failed(error))
        post(.error(error))
        abandonRequests(error)
    }

    func endSession() {
        session?.close()
        session = nil
    }

    private func stop() {
        let wasIdle = state == .idle
        endSession()
        abandonRequests()
        facts.snapshot.withLock { snapshot in
            // What was asked for since is about what comes next.
            if snapshot.unheardCalls == 0 { snapshot.intent.wantsToPlay = false }
            snapshot.intent.isStopped = snapshot.intent.isStopped || !wasIdle
            snapshot.info = nil
            snapshot.selected = [:]
        }
        facts.clock.enter(Epoch(), at: .zero)
        if !wasIdle { become(.idle) }
        tellStatus()
    }

    private func close() {
        stop()
        isClosing = true
        facts.mailbox.close()
        for message in facts.mailbox.receive() { refuse(message) }
    }

    /// Answers what came too late.
    private func refuse(_ message: EngineMessage) {
        let error = PlayerFacts.closed
        switch message {
        case .open(_, let reply): reply.complete(.failure(error))
        case .seek(_, _, let reply): reply.complete(.failure(error))
        case .stop(let reply), .select(_, _, let reply), .filters(_, let reply),
            .awaitEnd(let reply):
            reply.complete(.failure(error))
        default: break
        }
    }

    /// Answers calls whose medium is gone.
    func abandonRequests(
        _ error: MediaError = MediaError(.cancelled, "the medium was closed")
    ) {
        if let reply = seeking?.reply { answer(reply, .failure(error)) }
        seeking = nil
        if let reply = opening?.reply { answer(reply, .failure(error)) }
        opening = nil
        backup.question = nil
    }

    private func awaitEnd(_ reply: Reply<Void>) {
        endWaiters.append(reply)
        answerWaiters()
    }

    private func answerWaiters() {
        let result: Result<Void, MediaError>
        switch state {
        case .ended: result = .success(())
        case .failed(let error): result = .failure(error)
        case .idle: result = .failure(MediaError(.cancelled, "playback was stopped"))
        case .opening, .buffering, .ready: return
        }
        for waiter in endWaiters { answer(waiter, result) }
        endWaiters = []
    }

    // MARK: - Time

    private var nextDeadline: MediaTime? {
        var next = [opening?.deadline, backupDeadline].compactMap { $0 }.min()
        if snapshot.isPlaying {
            let observesPosition = observers.contains { $0.property.name == "position" }
            let tick = observesPosition ? time.now + .milliseconds(100) : nil
            for other in [nextPositionEvent, tick].compactMap({ $0 }) {
                next = next.map { min($0, other) } ?? other
            }
        }
        return next
    }

    private func keepTime() {
        let now = time.now
        if let deadline = opening?.deadline, now >= deadline { openTimedOut() }
        watchBackup()
        guard snapshot.isPlaying else {
            nextPositionEvent = nil
            return
        }
        if let due = nextPositionEvent, now < due { return }
        if nextPositionEvent != nil { post(.positionTimer(snapshot.position)) }
        nextPositionEvent = now + configuration.positionInterval
    }

    private func publish() {
        guard !observers.isEmpty else { return }
        let now = snapshot
        for index in observers.indices {
            let value = observers[index].property.read(now)
            guard value != observers[index].last else { continue }
            observers[index].last = value
            observers[index].receive(value)
        }
    }
}

extension Result where Failure == MediaError, Success == Void {
    fileprivate init(_ body: () throws(MediaError) -> Void) {
        do throws(MediaError) {
            try body()
            self = .success(())
        } catch {
            self = .failure(error)
        }
    }
}
