// The public, thread-safe face of playback.

public import MediaCore
public import MediaModel
internal import Synchronization

/// Plays one medium at a time into one sink.
///
/// Calls put a command into the engine's mailbox or read the last snapshot; those that throw wait
/// for the engine's answer. On the player's own threads, where subscribers, observers, hooks and
/// sinks run, nothing can wait for the engine: there such calls throw `invalid-state`, and `stop` and
/// `close` take effect without waiting. After `close` such calls throw `invalid-state` too. Call
/// `close` before letting go: a subscriber that keeps the player keeps it until then.
///
/// Thread-safety: safe.
public final class Player: Sendable {
    /// Ordered events, for subscribers that only pass them on and as a sequence (`stream`); both end
    /// with `close`.
    public let events = EventBus<PlayerEvent>()

    let facts: PlayerFacts
    private let thread: WorkerThread
    private let nextObservation = Atomic<Int>(0)

    /// Makes a player and its engine thread.
    ///
    /// - Throws: `bad-argument` for an unknown sink and for values outside of the ranges of
    ///   `PlayerConfiguration.options`, `internal` where the system has no room for a thread.
    public init(
        registry: PluginRegistry, configuration: PlayerConfiguration = PlayerConfiguration(),
        files: any FileSystem = SystemFileSystem(), time: any TimeSource = SystemTimeSource()
    ) throws(MediaError) {
        try configuration.check()
        let sink = try registry.sink(named: configuration.sink)
        let registry = registry.forRun()
        let facts = PlayerFacts(
            events: events, clock: PlaybackClock(time, isFree: configuration.clock == .free),
            playsAgain: sink.container == nil)
        self.facts = facts
        thread = try WorkerThread(trying: "mk-engine", group: facts.group) {
            PlaybackEngine(
                registry: registry, configuration: configuration, files: files, time: time,
                facts: facts
            ).run()
        }
    }

    deinit { close() }

    /// What holds at this moment.
    public var snapshot: PlayerSnapshot { facts.now }

    /// Opens a medium and waits until its streams are known; what was open is closed.
    ///
    /// - Throws: what the source reports, `timed-out` after the open timeout, `cancelled`.
    public func open(
        _ url: String, cancellation: CancellationToken
    ) throws(MediaError) -> MediaInfo {
        try facts.checkCanWait("open")
        let opening = beginOpening(url)
        let registration = cancellation.onCancel { opening.cancel() }
        defer { registration.remove() }
        return try opening.wait()
    }

    /// Opens a medium and waits until its streams are known; what was open is closed.
    public func open(_ url: String) throws(MediaError) -> MediaInfo {
        try open(url, cancellation: CancellationToken())
    }

    /// Opens a medium without waiting for it; what was open is closed.
    ///
    /// Calls of `play` and `pause` that follow are about this medium.
    public func beginOpening(_ url: String) -> PlayerOpening {
        let opening = PlayerOpening(facts: facts)
        if !facts.end(.open(url, opening.reply)) {
            opening.reply.complete(.failure(PlayerFacts.closed))
        }
        return opening
    }

    /// Plays from where it is; after the end, from the start, but for container sinks, whose output is
    /// complete then.
    public func play() { want(true) }

    /// Holds playback.
    public func pause() { want(false) }

    /// Moves playback and waits until frames of the new place have come; gives where it went on.
    ///
    /// - Throws: `invalid-state` while nothing is open and where a container sink's output can't go on
    ///   from another place, `bad-argument` where the medium can't be sought in, `cancelled` when
    ///   another seek or a close came first.
    public func seek(
        to time: MediaTime, precision: SeekPrecision = .keyframe,
        cancellation: CancellationToken = CancellationToken()
    ) throws(MediaError) -> MediaTime {
        try ask("seek", cancellation) { .seek(time, precision, $0) }
    }

    /// Ends the medium and waits for that; a container sink's output is dropped unless it was
    /// complete.
    ///
    /// On the player's own threads it takes effect without waiting.
    public func stop() {
        let reply = Reply<Void>()
        guard facts.end(.stop(reply)), !facts.group.isCurrent else { return }
        try? reply.wait()
    }

    /// Ends the medium, the engine and the subscriptions, and joins the threads.
    ///
    /// Each call returns when all that is done, but on the player's own threads, where it takes effect
    /// without waiting. Later calls of `play`, `pause`, `stop` and `close` do nothing, those that throw
    /// throw `invalid-state`.
    public func close() {
        facts.end(.close)
        thread.join()
    }

    /// Plays another stream of a kind, or none of it.
    ///
    /// - Throws: `invalid-state` while nothing is open and for container sinks, `no-such-stream`,
    ///   `decoder-not-found`.
    public func select(_ kind: MediaKind, stream: Int?) throws(MediaError) {
        try ask("select") { .select(kind, stream: stream, $0) }
    }

    /// Puts another chain in place of the filters; what is equal keeps running.
    ///
    /// - Throws: `bad-argument` for what the registry does not know, `not-licensed` where a filter
    ///   is; what ran before goes on then.
    public func use(_ chain: FilterChain) throws(MediaError) {
        try ask("use") { .filters(.use(chain), $0) }
    }

    /// Adds a filter; at the end unless `position` says before which.
    ///
    /// - Throws: `bad-argument` where the registry refuses it, for a label that a chain could not
    ///   name or that is taken; `not-licensed`.
    public func add(_ filter: FilterSpec, at position: Int? = nil) throws(MediaError) {
        try ask("add") { .filters(.add(filter, at: position), $0) }
    }

    /// Takes out the filter with this label or name; `bad-argument` where there is none.
    public func remove(_ label: String) throws(MediaError) {
        try ask("remove") { .filters(.remove(label), $0) }
    }

    /// Lets sound pass the filter with this label, or go past it.
    ///
    /// - Throws: `bad-argument` where there is none, `not-licensed` where it is to be passed.
    public func setEnabled(_ label: String, _ isEnabled: Bool) throws(MediaError) {
        try ask("setEnabled") { .filters(.setEnabled(label, isEnabled), $0) }
    }

    /// Changes options of the filter with this label; what can't change while playing is named by
    /// a `filterIgnored` event.
    ///
    /// - Throws: `bad-argument` for an unknown label or option or a value out of range.
    public func update(
        _ label: String, _ values: [String: OptionValue]
    ) throws(MediaError) {
        try ask("update") { .filters(.update(label, values), $0) }
    }

    /// Calls `receive` with the property's value as soon as the engine comes to it, and after each
    /// change.
    ///
    /// Changes between two turns of the engine are one; `receive` runs on the engine's thread, the
    /// first time too, and only passes the value on.
    ///
    /// - Throws: `bad-argument` where there is no such property, `invalid-state` after `close`.
    public func observe(
        _ property: String, _ receive: @escaping @Sendable (JSON) -> Void
    ) throws(MediaError) -> PlayerObservation {
        let property = try PlayerProperty.named(property)
        let id = nextObservation.add(1, ordering: .relaxed).newValue
        let mailbox = facts.mailbox
        let token = CancellationToken()
        let isPosted = mailbox.post(
            .observe(id: id, property) { if !token.isCancelled { receive($0) } })
        guard isPosted else { throw PlayerFacts.closed }
        return PlayerObservation {
            token.cancel()
            mailbox.post(.unobserve(id: id))
        }
    }

    /// Calls `handler` at a hook, on the engine's thread; it must pass the request on and not block.
    ///
    /// Several handlers of one hook run in order of registration, each with the last one's URL.
    public func addHook(
        _ hook: PlayerHook, _ handler: @escaping @Sendable (HookRequest) -> Void
    ) {
        facts.mailbox.post(.addHook(hook, handler))
    }

    /// Waits until playback ended; throws what it failed with, `cancelled` at cancellation or where
    /// it was stopped.
    public func waitUntilEnded(
        cancellation: CancellationToken = CancellationToken()
    ) throws(MediaError) {
        try ask("waitUntilEnded", cancellation) { .awaitEnd($0) }
    }

    private func want(_ wantsToPlay: Bool) {
        facts.snapshot.withLock { snapshot in
            snapshot.intent.wantsToPlay = wantsToPlay
            snapshot.intent.playsAgain =
                wantsToPlay && facts.playsAgain && snapshot.state == .ended
            snapshot.noteStart()
            snapshot.unheardCalls += 1
        }
        facts.mailbox.post(.intentChanged)
    }

    private func ask<Value: Sendable>(
        _ name: String, _ cancellation: CancellationToken? = nil,
        _ message: (Reply<Value>) -> EngineMessage
    ) throws(MediaError) -> Value {
        try facts.checkCanWait(name)
        let reply = Reply<Value>()
        guard facts.mailbox.post(message(reply)) else { throw PlayerFacts.closed }
        return try reply.wait(cancellation)
    }

}

/// An opening under way.
public struct PlayerOpening: Sendable {
    let reply = Reply<MediaInfo>()
    let facts: PlayerFacts

    /// Waits until the streams of the medium are known.
    ///
    /// - Throws: what the source reports, `timed-out` after the open timeout, `cancelled`,
    ///   `invalid-state` on the player's own threads.
    public func wait() throws(MediaError) -> MediaInfo {
        try facts.checkCanWait("open")
        return try reply.wait()
    }

    /// Gives the opening up where it is still under way, without waiting; `wait` throws `cancelled`.
    public func cancel() {
        facts.giveUp(reply)
    }
}

/// Ends an observation.
public struct PlayerObservation: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    /// Begins no more calls; one that has begun on the engine's thread may still be under way.
    public func cancel() { end() }
}
