// Bytes that come when they come: standard input, pipes with a name, devices.

internal import Glibc
public import MediaCore
public import MediaModel

/// A data source that can't be sought in, and whose waits cancellation ends.
///
/// Threading: confined. A read that waits looks for cancellation ten times a second.
public final class PipeDataSource: DataSource {
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

    /// Opens what is no regular file, without waiting for who writes into it.
    public init(opening path: String, _ cancellation: CancellationToken) throws(MediaError) {
        let opened = path.withOSPath { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        guard opened >= 0 else { throw .system(errno, "open \(path.printable)") }
        // Reads come behind a poll, so from here on they may block.
        _ = fcntl(opened, F_SETFL, fcntl(opened, F_GETFL) & ~O_NONBLOCK)
        descriptor = opened
        self.cancellation = cancellation
        file = SystemFile(owning: opened, path: path, isOutput: false)
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
        throw MediaError(.inputFailed, "a pipe can't be sought in")
    }

    /// Closes what was opened; a borrowed descriptor stays as it is.
    public func close() { file.closeQuietly() }
}

@available(*, unavailable)
extension PipeDataSource: Sendable {}
