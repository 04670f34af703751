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
    /// Whether `play` after the end plays again.
    let playsAgain: Bool
    private let medium = Mutex(Medium())

    /// What callers have said about the medium that is open, or comes next.
    private struct Medium {
        /// Stops the work on the medium that is open, or was last.
        var work = CancellationToken()
        /// Messages on their way that end what is open then.
        var endings = 0
        /// The answer that the last call of open is owed, until the medium is open.
        var owed: Reply<MediaInfo>?
        /// Whether that call was given up.
        var isGivenUp = false

        /// Whether what is opened now is about to be ended.
        var isDoomed: Bool { endings > 0 || isGivenUp }
    }

    init(events: EventBus<PlayerEvent>, clock: PlaybackClock, playsAgain: Bool) {
        self.events = events
        self.clock = clock
        self.playsAgain = playsAgain
    }

    /// Sends a message that ends what is open, and stops the work on that at once.
    ///
    /// The engine itself may be waiting for a reader of the output. False once the player is closed.
    @discardableResult
    func end(_ message: EngineMessage) -> Bool {
        let (work, isSent) = medium.withLock { medium in
            let isSent = mailbox.post(message)
            if isSent { medium.endings += 1 }
            if case .open(_, let reply) = message {
                (medium.owed, medium.isGivenUp) = (reply, false)
            }
            return (medium.work, isSent)
        }
        work.cancel()
        return isSent
    }

    /// The engine has come to such a message.
    func heardEnding() { medium.withLock { $0.endings -= 1 } }

    /// Gives the opening up that owes this answer, where it is still under way.
    func giveUp(_ reply: Reply<MediaInfo>) {
        let work = medium.withLock { medium -> CancellationToken? in
            guard medium.owed === reply else { return nil }
            medium.isGivenUp = true
            return medium.work
        }
        work?.cancel()
        mailbox.post(.giveUp(reply))
    }

    /// The work on another medium begins; it is stopped at once where its end is on the way.
    func begin(_ work: CancellationToken) {
        let isDoomed = medium.withLock { medium in
            medium.work = work
            return medium.isDoomed
        }
        if isDoomed { work.cancel() }
    }

    /// Whether the medium that was opened may stay; it can't be given up any more then.
    func keep() -> Bool {
        medium.withLock { medium in
            guard !medium.isDoomed else { return false }
            medium.owed = nil
            return true
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
