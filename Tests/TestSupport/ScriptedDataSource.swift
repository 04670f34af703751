// Bytes that come as a test wants: in small pieces, through a pipe, or with a failing read.

public import MediaCore
public import MediaModel

/// Bytes in memory with a temper.
///
/// Threading: confined.
public final class ScriptedDataSource: DataSource {
    private let bytes: [UInt8]
    private let piece: Int
    private let failingRead: Int?
    private var position = 0
    private var reads = 0
    /// Whether it was closed.
    public private(set) var isClosed = false
    /// Whether `seek` works.
    public let isSeekable: Bool
    /// The size where it can be sought in.
    public var length: Int64? { isSeekable ? Int64(bytes.count) : nil }

    /// What a failing read throws.
    public static let failure = MediaError(.inputFailed, "read: the disk is broken")

    /// Prepares bytes.
    ///
    /// - Parameters:
    ///   - piece: the most that one read gives.
    ///   - isSeekable: false for what behaves like a pipe.
    ///   - failingRead: the number of the read that fails, counted from 0, and all after it.
    public init(
        _ bytes: [UInt8], piece: Int = .max, isSeekable: Bool = true, failingRead: Int? = nil
    ) {
        self.bytes = bytes
        self.piece = piece
        self.isSeekable = isSeekable
        self.failingRead = failingRead
    }

    /// Reads what is due.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        reads += 1
        if let failingRead, reads > failingRead { throw ScriptedDataSource.failure }
        let part = bytes[min(position, bytes.count)...].prefix(min(piece, buffer.count))
        buffer.copyBytes(from: part)
        position += part.count
        return part.count
    }

    /// Moves the position, except in a pipe.
    public func seek(to offset: Int64) throws(MediaError) {
        guard isSeekable else { throw MediaError(.inputFailed, "seek: this is a pipe") }
        position = Int(clamping: offset)
    }

    /// Remembers that it was closed.
    public func close() { isClosed = true }
}

@available(*, unavailable)
extension ScriptedDataSource: Sendable {}
