// The public, thread-safe face of playback.

public import MediaCore
public import MediaModel

/// Plays one medium at a time into one sink.
///
/// Calls put a command into the engine's mailbox or read the last snapshot; those that throw wait
/// for the engine's answer. Call `close` before letting go.
///
/// Thread-safety: safe.
public final class Player: Sendable {
    /// Ordered events; subscribers only pass them on.
    public let events = EventBus<PlayerEvent>()

    /// Makes a player and its engine thread; `bad-argument` for an unknown sink.
    public init(
        registry: PluginRegistry, configuration: PlayerConfiguration = PlayerConfiguration(),
        files: any FileSystem = SystemFileSystem(), time: any TimeSource = SystemTimeSource()
    ) throws(MediaError) {
    }

    /// What holds at this moment.
    public var snapshot: PlayerSnapshot { PlayerSnapshot() }

    /// Opens a medium and waits until its streams are known; what was open is closed.
    ///
    /// - Throws: what the source reports, `timed-out` after the open timeout, `cancelled`.
    public func open(
        _ url: String, cancellation: CancellationToken = CancellationToken()
    ) throws(MediaError) -> MediaInfo {
        throw Player.missing
    }

    /// Plays from where it is; after the end, from the start.
    public func play() {}

    /// Holds playback.
    public func pause() {}

    /// Moves playback and waits until frames of the new place have come; gives where it went on.
    ///
    /// - Throws: `invalid-state` while nothing is open, `bad-argument` where the medium can't be
    ///   sought in, `cancelled` when another seek or a close came first.
    public func seek(
        to time: MediaTime, precision: SeekPrecision = .keyframe,
        cancellation: CancellationToken = CancellationToken()
    ) throws(MediaError) -> MediaTime {
        throw Player.missing
    }

    /// Ends the medium; a container sink's output is dropped unless it was complete.
    public func stop() {}

    /// Ends the medium and the engine and joins its threads; later calls do nothing.
    public func close() {}

    /// Plays another stream of a kind, or none of it.
    ///
    /// - Throws: `invalid-state` while nothing is open, `no-such-stream`.
    public func select(_ kind: MediaKind, stream: Int?) throws(MediaError) {}

    /// Puts another chain in place of the filters; what is equal keeps running.
    ///
    /// - Throws: `bad-argument` for what the registry does not know.
    public func use(_ chain: FilterChain) throws(MediaError) {}

    /// Adds a filter; at the end unless `position` says before which.
    ///
    /// - Throws: `bad-argument` where the registry refuses it or the label is taken.
    public func add(_ filter: FilterSpec, at position: Int? = nil) throws(MediaError) {}

    /// Takes out the filter with this label or name; `bad-argument` where there is none.
    public func remove(_ label: String) throws(MediaError) {}

    /// Lets sound pass the filter with this label, or go past it.
    public func setEnabled(_ label: String, _ isEnabled: Bool) throws(MediaError) {}

    /// Changes options of the filter with this label; what can't change while playing is named by
    /// a `filterIgnored` event.
    ///
    /// - Throws: `bad-argument` for an unknown label or option or a value out of range.
    public func update(
        _ label: String, _ values: [String: OptionValue]
    ) throws(MediaError) {}

    /// Calls `receive` with the property's value at once and after each change.
    ///
    /// Changes between two turns of the engine are one; `receive` runs on the engine's thread and
    /// only passes the value on.
    public func observe(
        _ property: String, _ receive: @escaping @Sendable (JSON) -> Void
    ) throws(MediaError) -> PlayerObservation {
        throw Player.missing
    }

    /// Calls `handler` at a hook, on the engine's thread; it must pass the request on and not block.
    ///
    /// Several handlers of one hook run in order of registration, each with the last one's URL.
    public func addHook(
        _ hook: PlayerHook, _ handler: @escaping @Sendable (HookRequest) -> Void
    ) {}

    /// Waits until playback ended; throws what it failed with, `cancelled` at cancellation or where
    /// it was stopped.
    public func waitUntilEnded(
        cancellation: CancellationToken = CancellationToken()
    ) throws(MediaError) {
        throw Player.missing
    }

    private static let missing = MediaError(.internalError, "playback is not built in")
}

/// Ends an observation.
public struct PlayerObservation: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    /// Calls no more.
    public func cancel() { end() }
}
