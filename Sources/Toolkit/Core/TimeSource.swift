// What time it is, and waiting: the system's clock behind a protocol.

internal import Glibc

/// A monotonic clock that can be waited on; tests put a manual one in its place.
public protocol TimeSource: Sendable {
    /// Nanoseconds since an arbitrary start; never goes back.
    var now: MediaTime { get }
    /// The moment on the system's monotonic clock at which this clock will show `deadline`,
    /// or nil where only an outside event moves it.
    func systemDeadline(_ deadline: MediaTime) -> MediaTime?
}

/// The system's monotonic clock.
public struct SystemTimeSource: TimeSource {
    /// Makes the clock; all instances agree.
    public init() {}

    /// `CLOCK_MONOTONIC`.
    public var now: MediaTime {
        var spec = timespec()
        clock_gettime(CLOCK_MONOTONIC, &spec)
        return MediaTime(nanoseconds: Int64(spec.tv_sec) * 1_000_000_000 + Int64(spec.tv_nsec))
    }

    /// The deadline itself.
    public func systemDeadline(_ deadline: MediaTime) -> MediaTime? { deadline }
}
