// Bytes in memory as a source of bytes.

internal import MediaCore
internal import MediaModel

/// Bytes that are all there; threading: confined.
final class MemorySource: DataSource {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var length: Int64? { Int64(bytes.count) }
    var isSeekable: Bool { true }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        let part = bytes[min(position, bytes.count)...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        position += part.count
        return part.count
    }
    func seek(to offset: Int64) throws(MediaError) { position = Int(clamping: offset) }
    func close() {}
}
