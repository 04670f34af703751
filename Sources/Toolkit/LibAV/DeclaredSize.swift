// How many bytes a file says it has, where its first bytes say so.

internal import CFFmpeg
internal import MediaModel

/// The size in the header of RIFF files (WAV, AVI) and Sony Wave64.
///
/// FFmpeg takes the length of such a file from the bytes that are there, so that a half one looks
/// whole; it does not for RF64, where `DeclaredExtent` tells.
enum DeclaredSize {
    private static let headLength = 24
    /// Some programs count the header's own eight bytes, a pad byte or their last chunk wrongly.
    private static let tolerance: Int64 = 1024
    /// The identifier of Wave64's outermost chunk.
    private static let wave64 =
        Array("riff".utf8) + [0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB]

    /// A sentence where a file of `size` bytes should have more; its reading position stays.
    static func remarks(
        on context: UnsafeMutablePointer<AVFormatContext>, _ info: MediaInfo
    ) -> [String] {
        guard let size = info.size, info.isSeekable, let input = context.pointee.pb,
            ["wav", "w64", "avi"].contains(info.containerName)
        else { return [] }
        let position = avio_seek(input, 0, SEEK_CUR)
        guard position >= 0, avio_seek(input, 0, SEEK_SET) == 0 else { return [] }
        var head = [UInt8](repeating: 0, count: headLength)
        let count = avio_read(input, &head, Int32(headLength))
        avio_seek(input, position, SEEK_SET)
        guard let declared = DeclaredSize.bytes(in: head.prefix(max(0, Int(count)))),
            declared - size > tolerance
        else { return [] }
        return [
            "the medium ends after \(size) bytes and its header says \(declared); "
                + "it may have been cut off"
        ]
    }

    /// The size of the whole file; nil where the header leaves it open, as one of a stream does.
    static func bytes(in head: some Collection<UInt8>) -> Int64? {
        let head = Array(head)
        guard head.count == headLength else { return nil }
        func number(at offset: Int, bytes: Int) -> Int64? {
            let value = head[offset..<offset + bytes].reversed().reduce(UInt64(0)) {
                $0 << 8 | UInt64($1)
            }
            return value > 0 && value < UInt64(Int64.max - 8) ? Int64(value) : nil
        }
        switch Array(head[0..<4]) {
        case Array("RIFF".utf8):
            guard let value = number(at: 4, bytes: 4), value < Int64(UInt32.max) - 8 else {
                return nil
            }
            return value + 8
        case Array("riff".utf8) where Array(head[0..<wave64.count]) == wave64:
            return number(at: 16, bytes: 8)
        default: return nil
        }
    }
}
