// An output that may have no room for a while: a pipe, a terminal, a socket.

internal import Glibc

/// Writes to a file whose reader may be slow, woken by cancellation.
///
/// Once cancelled, nothing more is written. Threading: confined. A write that waits looks for
/// cancellation ten times a second.
public final class PipeFile: OpenFile {
    /// What fits into a pipe that has room at all (`PIPE_BUF`), so that no write waits.
    private static let step = 4096
    /// Between two looks for a FIFO's reader, in microseconds.
    private static let pause: UInt32 = 20_000

    private let file: SystemFile
    private let descriptor: Int32
    private let cancellation: CancellationToken

    /// Writes through `file`, which stands for `descriptor`.
    public init(_ file: SystemFile, descriptor: Int32, _ cancellation: CancellationToken) {
        self.file = file
        self.descriptor = descriptor
        self.cancellation = cancellation
    }

    /// Opens the device or the FIFO at `path`, and waits for a FIFO's reader until cancelled.
    ///
    /// - Throws: `output-failed` for what can't be written to, `cancelled`.
    convenience init(
        opening path: String, _ cancellation: CancellationToken
    ) throws(MediaError) {
        var descriptor: Int32 = -1
        while true {
            try cancellation.check()
            descriptor = path.withOSPath {
                open($0, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
            }
            if descriptor >= 0 { break }
            let number = errno
            guard number == ENXIO, PipeFile.isFIFO(path) else {
                throw .system(number, "open \(path.printable)", output: true)
            }
            usleep(PipeFile.pause)
        }
        // Only opening must not wait in the system: writing asks for room before.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        self.init(
            SystemFile(owning: descriptor, path: path, isOutput: true), descriptor: descriptor,
            cancellation)
    }

    private static func isFIFO(_ path: String) -> Bool {
        var status = stat()
        return path.withOSPath { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFIFO
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
