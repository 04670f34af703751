// A clock that a test moves.

public import MediaCore

/// Stands still until it is moved.
///
/// Thread-safety: safe.
public final class ManualTimeSource: TimeSource {
    private let time = Monitor(MediaTime.zero)

    /// Begins at zero.
    public init() {}

    /// Where the test has put it.
    public var now: MediaTime { time.withLock { $0 } }

    /// Only `advance` moves it.
    public func systemDeadline(_ deadline: MediaTime) -> MediaTime? { nil }

    /// Moves it on; who waits must be woken by other means.
    public func advance(by span: MediaTime) { time.withLock { $0 = $0 + span } }
}
