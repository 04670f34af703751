// Ctrl-C and SIGTERM as cancellation.

import Glibc
import Toolkit

/// Watches for signals: the first one cancels and lets the work end tidily, the second one ends the
/// program at once.
final class Interrupts: Sendable {
    let cancellation = CancellationToken()
    private let watcher: WorkerThread
    // Sent to the watcher by `stop`; it has no other meaning.
    private static let wakeUp = SIGUSR2

    /// Starts the watch; call it before any other thread is made, so that all inherit the mask.
    init() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP, Interrupts.wakeUp] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let watched = signals
        let token = cancellation
        watcher = WorkerThread("mk-signals") {
            var watched = watched
            var number: Int32 = 0
            while sigwait(&watched, &number) == 0, number != Interrupts.wakeUp {
                if token.isCancelled { _exit(130) }
                token.cancel()
            }
        }
    }

    /// Runs `body` under a watch.
    static func watching<Result>(
        _ body: (CancellationToken) throws(MediaError) -> Result
    ) throws(MediaError) -> Result {
        let interrupts = Interrupts()
        defer { interrupts.stop() }
        return try body(interrupts.cancellation)
    }

    private func stop() {
        kill(getpid(), Interrupts.wakeUp)
        watcher.join()
    }
}
