// The public, thread-safe face of playback.

public import MediaCore
public import MediaModel
internal import Synchronization

/// Plays one medium at a time into one sink.
///
/// Calls put a command into the engine's mailbox or read the last snapshot; those that throw wait
/// for the engine's answer, and must not be made by a subscriber or a hook. Call `close` before
/// letting go.
///
/// Thread-safety: safe.
public final class Player: Sendable {
    /// Ordered events; subscribers only pass them on.
    public let events = EventBus<PlayerEvent>()

    private let facts: PlayerFacts
    private let thread: WorkerThread
    private let nextObservation = Atomic<Int>(0)

    /// Makes a player and its engine thread; `bad-argument` for an unknown sink.
    public init(
        registry: PluginRegistry, configuration: PlayerConfiguration = PlayerConfiguration(),
        files: any FileSystem = SystemFileSystem(), time: any TimeSource = SystemTimeSource()
    ) throws(MediaError) {
        _ = try registry.sink(named: configuration.sink)
        let registry = registry.forRun()
        let facts = PlayerFacts(
            events: events, clock: PlaybackClock(time, isFree: configuration.clock == .free))
        self.facts = facts
        thread = WorkerThread("mk-engine") {
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
        let opening = beginOpening(url)
        let registration = cancellation.onCancel { opening.cancel() }
        defer { registration.remove() }
        return try opening.wait()
    }

    /// Opens a medium and waits until its streams are known; what was open is closed.
    public func open(_ url: String) throws(MediaError) -> MediaInfo {
        try open(url, cancellation: CancellationToken())
    }

    /// Opens a medium without holding a thread; see the other `open`.
    public func open(_ url: String) async throws(MediaError) -> MediaInfo {
        facts.letGo()
        return try await ask { .open(url, $0) }
    }

    /// Opens a medium without waiting for it; what was open is closed.
    ///
    /// Calls of `play` and `pause` that follow are about this medium.
    public func beginOpening(_ url: String) -> PlayerOpening {
        facts.letGo()
        let opening = PlayerOpening(facts: facts)
        if !facts.mailbox.post(.open(url, opening.reply)) {
            opening.reply.complete(.failure(Player.closed))
        }
        return opening
    }

    /// Plays from where it is; after the end, from the start.
    public func play() { want(true) }

    /// Holds playback.
    public func pause() { want(false) }

    /// Moves playback and waits until frames of the new place have come; gives where it went on.
    ///
    /// - Throws: `invalid-state` while nothing is open, `bad-argument` where the medium can't be
    ///   sought in, `cancelled` when another seek or a close came first.
    public func seek(
        to time: MediaTime, precision: SeekPrecision = .keyframe,
        cancellation: CancellationToken = CancellationToken()
    ) throws(MediaError) -> MediaTime {
        try ask(cancellation) { .seek(time, precision, $0) }
    }

    /// Moves playback without holding a thread; see the other `seek`.
    public func seek(
        to time: MediaTime, precision: SeekPrecision = .keyframe
    ) async throws(MediaError) -> MediaTime {
        try await ask { .seek(time, precision, $0) }
    }

    /// Ends the medium; a container sink's output is dropped unless it was complete.
    public func stop() {
        facts.letGo()
        try? ask { .stop($0) }
    }

    /// Ends the medium and the engine and joins its threads; later calls do nothing.
    public func close() {
        facts.letGo()
        facts.mailbox.post(.close)
        thread.join()
    }

    /// Plays another stream of a kind, or none of it.
    ///
    /// - Throws: `invalid-state` while nothing is open, `no-such-stream`.
    public func select(_ kind: MediaKind, stream: Int?) throws(MediaError) {
        try ask { .select(kind, stream: stream, $0) }
    }

    /// Puts another chain in place of the filters; what is equal keeps running.
    ///
    /// - Throws: `bad-argument` for what the registry does not know, `not-licensed` where a filter
    ///   is; what ran before goes on then.
    public func use(_ chain: FilterChain) throws(MediaError) {
        try ask { .filters(.use(chain), $0) }
    }

    /// Adds a filter; at the end unless `position` says before which.
    ///
    /// - Throws: `bad-argument` where the registry refuses it or the label is taken, `not-licensed`.
    public func add(_ filter: FilterSpec, at position: Int? = nil) throws(MediaError) {
        try ask { .filters(.add(filter, at: position), $0) }
    }

    /// Takes out the filter with this label or name; `bad-argument` where there is none.
    public func remove(_ label: String) throws(MediaError) {
        try ask { .filters(.remove(label), $0) }
    }

    /// Lets sound pass the filter with this label, or go past it.
    ///
    /// - Throws: `bad-argument` where there is none, `not-licensed` where it is to be passed.
    public func setEnabled(_ label: String, _ isEnabled: Bool) throws(MediaError) {
        try ask { .filters(.setEnabled(label, isEnabled), $0) }
    }

    /// Changes options of the filter with this label; what can't change while playing is named by
    /// a `filterIgnored` event.
    ///
    /// - Throws: `bad-argument` for an unknown label or option or a value out of range.
    public func update(
        _ label: String, _ values: [String: OptionValue]
    ) throws(MediaError) {
        try ask { .filters(.update(label, values), $0) }
    }

    /// Calls `receive` with the property's value at once and after each change.
    ///
    /// Changes between two turns of the engine are one; `receive` runs on the engine's thread and
    /// only passes the value on.
    public func observe(
        _ property: String, _ receive: @escaping @Sendable (JSON) -> Void
    ) throws(MediaError) -> PlayerObservation {
        let property = try PlayerProperty.named(property)
        let id = nextObservation.add(1, ordering: .relaxed).newValue
        let mailbox = facts.mailbox
        mailbox.post(.observe(id: id, property, receive))
        return PlayerObservation { mailbox.post(.unobserve(id: id)) }
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
        try ask(cancellation) { .awaitEnd($0) }
    }

    private func want(_ wantsToPlay: Bool) {
        facts.snapshot.withLock { snapshot in
            snapshot.intent.wantsToPlay = wantsToPlay
            snapshot.noteStart()
            snapshot.unheardCalls += 1
        }
        facts.mailbox.post(.intentChanged)
    }

    private func ask<Value: Sendable>(
        _ cancellation: CancellationToken? = nil, _ message: (Reply<Value>) -> EngineMessage
    ) throws(MediaError) -> Value {
        let reply = Reply<Value>()
        guard facts.mailbox.post(message(reply)) else { throw Player.closed }
        return try reply.wait(cancellation)
    }

    private func ask<Value: Sendable>(
        _ message: (Reply<Value>) -> EngineMessage
    ) async throws(MediaError) -> Value {
        let result: Result<Value, MediaError> = await withCheckedContinuation { continuation in
            let reply = Reply<Value> { continuation.resume(returning: $0) }
            if !facts.mailbox.post(message(reply)) { reply.complete(.failure(Player.closed)) }
        }
        return try result.get()
    }

    private static let closed = MediaError(.invalidState, "the player is closed")
}

/// An opening under way.
public struct PlayerOpening: Sendable {
    let reply = Reply<MediaInfo>()
    let facts: PlayerFacts

    /// Waits until the streams of the medium are known.
    ///
    /// - Throws: what the source reports, `timed-out` after the open timeout, `cancelled`.
    public func wait() throws(MediaError) -> MediaInfo { try reply.wait() }

    /// Gives the opening up where it is still under way, without waiting; `wait` throws `cancelled`.
    public func cancel() {
        facts.letGo(owing: reply)
        facts.mailbox.post(.giveUp(reply))
    }
}

/// Ends an observation.
public struct PlayerObservation: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    /// Calls no more.
    public func cancel() { end() }
}
