// An output that may have no room for a while: a pipe, a terminal, a socket.

internal import Glibc

/// Writes to a file whose reader may be slow, woken by cancellation.
///
/// Once cancelled, nothing more is written. Threading: confined. A write that waits looks for
/// cancellation ten times a second.
public final class PipeFile: OpenFile {
    /// What fits into a pipe that has room at all (`PIPE_BUF`), so that no write waits.
    private static let step = 4096

    private let file: SystemFile
    private let descriptor: Int32
    private let cancellation: CancellationToken

    /// Writes through `file`, which stands for `descriptor`.
    public init(_ file: SystemFile, descriptor: Int32, _ cancellation: CancellationToken) {
        self.file = file
        self.descriptor = descriptor
        self.cancellation = cancellation
    }

    /// By `poll(2)` and `write(2)`; `cancelled` where that comes before everything was written.
    public func write(_ buffer: UnsafeRawBufferPointer) throws(MediaError) {
        var rest = buffer[...]
        while !rest.isEmpty {
            try cancellation.check()
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&request, 1, 100) > 0 else { continue }
            let part = rest.prefix(PipeFile.step)
            try file.write(UnsafeRawBufferPointer(rebasing: part))
            rest = rest.dropFirst(part.count)
        }
    }

    /// As the file does.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        try file.read(into: buffer)
    }
    /// As the file does.
    public func seek(to offset: Int64) throws(MediaError) { try file.seek(to: offset) }
    /// As the file says.
    public var size: Int64? { file.size }
    /// As the file does.
    public func truncate(to size: Int64) throws(MediaError) { try file.truncate(to: size) }
    /// As the file does.
    public func claim() throws(MediaError) -> Bool { try file.claim() }
    /// As the file does.
    public func sync() throws(MediaError) { try file.sync() }
    /// As the file does.
    public func close() throws(MediaError) { try file.close() }
}

@available(*, unavailable)
extension PipeFile: Sendable {}
