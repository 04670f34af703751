// How many frames have gone out.

internal import MediaModel
internal import Synchronization

/// Counts frames by the kind of their stream.
///
/// Thread-safety: safe.
final class FrameCounts: Sendable {
    private let counts = Mutex<[MediaKind: Int]>([:])

    /// What has gone out since the medium was opened.
    var all: [MediaKind: Int] { counts.withLock { $0 } }

    /// One more.
    func add(_ kind: MediaKind) { counts.withLock { $0[kind, default: 0] += 1 } }

    /// Begins anew.
    func reset() { counts.withLock { $0 = [:] } }
}
