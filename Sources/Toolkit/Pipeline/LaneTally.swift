// What the nodes of one lane tell the run: how far they are, what they did.

internal import MediaCore
internal import Synchronization

/// Figures of one lane, written by its threads and read by the run's.
///
/// Thread-safety: safe.
package final class LaneTally: Sendable {
    private let ticks = Atomic<Int64>(0)
    private let done = Atomic<Bool>(false)
    private let stream: Mutex<EncodedStream>

    /// Begins with what is known of the stream.
    package init(_ stream: EncodedStream) { self.stream = Mutex(stream) }

    /// How far the lane's output is.
    var position: MediaTime {
        get { MediaTime(nanoseconds: ticks.load(ordering: .relaxed)) }
        set { ticks.store(newValue.nanoseconds, ordering: .relaxed) }
    }

    /// Whether the lane wants no more packets, because its part of the input is over.
    package var isDone: Bool { done.load(ordering: .relaxed) }

    /// Says whether the lane wants no more packets.
    func mark(done isDone: Bool) { done.store(isDone, ordering: .relaxed) }

    /// Changes what is known of the stream.
    func note(_ change: (inout EncodedStream) -> Void) { stream.withLock { change(&$0) } }

    /// What is known of the stream.
    var report: EncodedStream { stream.withLock { $0 } }
}
