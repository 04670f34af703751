// Bytes that were looked at once and are read again from the start.

public import MediaCore
public import MediaModel

/// Gives the first bytes of a source away for a look and then once more to who reads.
///
/// Threading: confined.
public final class ReplayDataSource: DataSource {
    private let source: any DataSource
    private var replay: ArraySlice<UInt8>
    /// The first bytes, fewer than asked for where the source ends earlier.
    public let head: [UInt8]

    /// Takes a source at its start and reads up to `count` bytes of it.
    public init(_ source: any DataSource, peeking count: Int) throws(MediaError) {
        self.source = source
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = try ReplayDataSource.read(source, into: &bytes, from: filled)
            if got == 0 { break }
            filled += got
        }
        head = Array(bytes.prefix(filled))
        replay = head[...]
        if source.isSeekable {
            try source.seek(to: 0)
            replay = []
        }
    }

    /// That of the source.
    public var length: Int64? { source.length }
    /// That of the source.
    public var isSeekable: Bool { source.isSeekable }

    /// Reads the bytes that were looked at, then on.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        guard !replay.isEmpty else { return try source.read(into: buffer) }
        let count = min(replay.count, buffer.count)
        buffer.copyBytes(from: replay.prefix(count))
        replay = replay.dropFirst(count)
        return count
    }

    /// Moves the position of the source.
    public func seek(to offset: Int64) throws(MediaError) { try source.seek(to: offset) }

    /// Closes the source.
    public func close() { source.close() }

    private static func read(
        _ source: any DataSource, into bytes: inout [UInt8], from start: Int
    ) throws(MediaError) -> Int {
        var failure: MediaError?
        let count = bytes.withUnsafeMutableBytes { buffer -> Int in
            do throws(MediaError) {
                return try source.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        return count
    }
}

@available(*, unavailable)
extension ReplayDataSource: Sendable {}
