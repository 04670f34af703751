// What a player's callers and its engine share.

internal import MediaCore
internal import MediaModel
internal import Synchronization

/// What callers read without asking the engine.
///
/// Thread-safety: safe. Only the engine writes it, the intent excepted.
final class PlayerFacts: Sendable {
    let snapshot = Mutex(PlayerSnapshot())
    let events: EventBus<PlayerEvent>
    let mailbox = Mailbox<EngineMessage>()
    let clock: PlaybackClock
    let counts = FrameCounts()
    /// The threads that the engine waits for, and its own.
    let group = ThreadGroup()
    /// Stops the medium that is open, or was last; the answer that its opening owes, while it does.
    let medium = Mutex<(work: CancellationToken, owed: Reply<MediaInfo>?)>(
        (CancellationToken(), nil))

    init(events: EventBus<PlayerEvent>, clock: PlaybackClock) {
        self.events = events
        self.clock = clock
    }

    /// Stops the work on the medium that is open, before the engine is told to end it: the engine
    /// itself may be waiting for a reader of the output.
    func letGo() { medium.withLock { $0.work }.cancel() }

    /// The same where the medium is still being opened for this answer.
    func letGo(owing reply: Reply<MediaInfo>) {
        medium.withLock { $0.owed === reply ? $0.work : nil }?.cancel()
    }

    /// Whether the medium that was opened may stay: nobody has let it go.
    func keep() -> Bool {
        medium.withLock { medium in
            medium.owed = nil
            return !medium.work.isCancelled
        }
    }

    /// Refuses to wait for the engine on a thread that the engine waits for.
    func checkCanWait(_ call: String) throws(MediaError) {
        guard group.isCurrent else { return }
        throw MediaError(
            .invalidState,
            "\(call): a player's own thread can't wait for it; pass on what a subscriber, an observer, "
                + "a hook or a sink is told, and call from another thread")
    }

    /// What calls that come too late throw.
    static let closed = MediaError(.invalidState, "the player is closed")

    /// What holds now, with the position of this moment.
    var now: PlayerSnapshot {
        var now = snapshot.withLock { $0 }
        let position = clock.position
        now.position = now.duration.map { min(position, $0) } ?? position
        now.frames = counts.all
        return now
    }
}
