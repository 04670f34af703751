// Bytes of standard input, woken by cancellation.

internal import Glibc
public import MediaCore
public import MediaModel

/// Standard input as a data source that can't be sought in.
///
/// Threading: confined. A read that waits looks for cancellation ten times a second.
public final class StdinDataSource: DataSource {
    private let descriptor: Int32
    private let file: SystemFile
    private let cancellation: CancellationToken

    /// Borrows the descriptor, standard input unless a test gives another.
    public init(_ cancellation: CancellationToken, descriptor: Int32 = 0) {
        self.descriptor = descriptor
        self.cancellation = cancellation
        file = SystemFile(
            owning: descriptor, path: "standard input", isOutput: false, borrowing: true)
    }

    /// Unknown.
    public var length: Int64? { nil }
    /// No.
    public var isSeekable: Bool { false }

    /// Waits for bytes.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&request, 1, 100) == 0 { try cancellation.check() }
        return try file.read(into: buffer)
    }

    /// Always fails.
    public func seek(to offset: Int64) throws(MediaError) {
        throw MediaError(.inputFailed, "standard input can't be sought in")
    }

    /// Nothing: the descriptor is borrowed.
    public func close() {}
}

@available(*, unavailable)
extension StdinDataSource: Sendable {}
