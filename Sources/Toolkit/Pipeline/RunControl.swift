// What the threads of one run share: its end, by failure or by cancellation.

package import MediaCore
internal import Synchronization

/// Ends all threads of a run together and keeps the first error.
///
/// Thread-safety: safe.
package final class RunControl: Sendable {
    /// Cancelled when the run fails or is cancelled from outside.
    package let token: CancellationToken
    private let registration: CancellationToken.Registration
    private let error = Mutex<MediaError?>(nil)
    private let ended = Monitor(0)

    /// Makes the control of a run that `outer` cancels too.
    package init(_ outer: CancellationToken) {
        (token, registration) = outer.makeChild()
    }

    /// Keeps the first error and ends the run.
    package func fail(_ failure: MediaError) {
        error.withLock { if $0 == nil { $0 = failure } }
        token.cancel()
    }

    /// Says that the last thread of a lane has written everything.
    func laneEnded() { ended.withLock { $0 += 1 } }

    /// Waits until so many lanes have ended, or the run has; calls `tick` every tenth of a second.
    func wait(lanes count: Int, tick: () -> Void) throws(MediaError) {
        let wake = token.onCancel { [ended] in ended.withLock { _ in } }
        defer { wake.remove() }
        while true {
            let deadline = SystemTimeSource().now + .milliseconds(100)
            let isOver = ended.wait(until: deadline) { [token] number in
                number >= count || token.isCancelled ? true : nil
            }
            try check()
            if isOver == true { return }
            tick()
        }
    }

    /// Throws the first error, or `cancelled`.
    package func check() throws(MediaError) {
        if let first = error.withLock({ $0 }) { throw first }
        try token.check()
    }

    /// Forgets the outer token; call at the end of the run.
    package func end() { registration.remove() }
}
