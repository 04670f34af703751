// Where playback is, and when a frame is due.

package import MediaCore

/// The clock of one player.
///
/// In real time the position moves with the time source while the clock runs; freely, it is how
/// far the furthest stream was written. A frame waits here until it is due; a pause holds it, a seek
/// (another epoch) or a close sends it away.
///
/// Thread-safety: safe.
package final class PlaybackClock: Sendable {
    private struct State {
        var epoch = Epoch()
        var isRunning = false
        /// Whether it stands only because frames are missing.
        var isStalled = false
        var isClosed = false
        /// The position when the clock was set, and the time that was.
        var anchor = MediaTime.zero
        var anchorTime = MediaTime.zero
        var written = MediaTime.zero
        /// Counts what waiting frames must look at again.
        var changes = 0
    }

    private let time: any TimeSource
    private let isFree: Bool
    private let state = Monitor(State())

    /// Makes a clock that stands at zero; `isFree` follows what is written instead of the time.
    package init(_ time: any TimeSource, isFree: Bool) {
        self.time = time
        self.isFree = isFree
    }

    /// Where playback is.
    package var position: MediaTime {
        state.withLock { [time, isFree] state in
            PlaybackClock.position(state, now: time.now, isFree: isFree)
        }
    }

    /// Whether the clock runs and has passed a moment.
    package func isRunning(past moment: MediaTime) -> Bool {
        state.withLock { [time, isFree] state in
            state.isRunning
                && PlaybackClock.position(state, now: time.now, isFree: isFree) > moment
        }
    }

    /// Stands at `position` in a new epoch; a clock that was closed is open again.
    package func enter(_ epoch: Epoch, at position: MediaTime) {
        state.withLock { state in
            state.isClosed = false
            state.changes += 1
            state.epoch = epoch
            state.isRunning = false
            state.isStalled = false
            state.anchor = position
            state.written = position
        }
    }

    /// Moves, from where it stands.
    package func run() {
        state.withLock { [time] state in
            guard !state.isRunning else { return }
            state.changes += 1
            state.isRunning = true
            state.isStalled = false
            state.anchorTime = time.now
        }
    }

    /// Stands still; no frame passes.
    package func stop() { halt(isStalled: false) }

    /// Stands still because frames are missing; frames that are late pass, for they may be what
    /// those that are missing wait behind.
    package func stall() { halt(isStalled: true) }

    private func halt(isStalled: Bool) {
        state.withLock { [time, isFree] state in
            state.anchor = PlaybackClock.position(state, now: time.now, isFree: isFree)
            state.isRunning = false
            state.isStalled = isStalled
            state.changes += 1
        }
    }

    /// Sends all waiting frames away.
    package func close() {
        state.withLock { state in
            state.isClosed = true
            state.changes += 1
        }
    }

    /// Looks at the time again; for time sources that only an outside event moves.
    package func wake() { state.withLock { $0.changes += 1 } }

    /// Says how far a stream was written.
    package func note(written: MediaTime, epoch: Epoch) {
        guard isFree else { return }
        state.withLock { state in
            if state.epoch == epoch { state.written = max(state.written, written) }
        }
    }

    /// Waits until `due` is at most `lead` ahead and the clock runs, or has passed where the clock
    /// is stalled; false where the frame is no longer wanted.
    ///
    /// - Parameter isGone: asked again at each `wake`, for a lane that is taken away.
    package func wait(
        until due: MediaTime, lead: MediaTime, epoch: Epoch, unless isGone: () -> Bool = { false }
    ) -> Bool {
        while true {
            let seen = state.withLock { $0.changes }
            if isGone() { return false }
            let now = time.now
            let look = state.withLock { [isFree] state -> Look in
                if state.isClosed || state.epoch != epoch { return Look(answer: false) }
                let position = PlaybackClock.position(state, now: now, isFree: isFree)
                if state.isStalled, due <= position { return Look(answer: true) }
                guard state.isRunning else { return Look(changes: seen) }
                if isFree || due - lead <= position { return Look(answer: true) }
                return Look(rest: due - lead - position, changes: seen)
            }
            if let answer = look.answer { return answer }
            let deadline = look.rest.flatMap { time.systemDeadline(now + $0) }
            _ = state.wait(until: deadline) { $0.changes == look.changes ? nil : true }
        }
    }

    private struct Look: Sendable {
        var answer: Bool?
        var rest: MediaTime?
        var changes = 0
    }

    private static func position(_ state: State, now: MediaTime, isFree: Bool) -> MediaTime {
        if isFree { return state.written }
        return state.isRunning ? state.anchor + (now - state.anchorTime) : state.anchor
    }
}
