// Base64, in its one canonical spelling.

/// Base64 with padding and without line breaks.
///
/// - Source: RFC 4648, section 4; decoding refuses what encoding does not give (section 3.5), so
///   that no two texts stand for the same bytes.
enum Base64 {
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.enumerated().reduce(0) { $0 | Int($1.element) << (16 - 8 * $1.offset) }
            for place in 0..<4 {
                text.append(
                    place <= group.count
                        ? letters[bits >> (18 - 6 * place) & 0x3F] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes; nil where the text is not exactly what `encode` gives for them.
    static func decode(_ text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        guard bytes.count % 4 == 0 else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count / 4 * 3)
        var bits = 0
        var count = 0
        for byte in bytes.prefix(while: { $0 != UInt8(ascii: "=") }) {
            guard let value = value(of: byte) else { return nil }
            bits = (bits << 6 | value) & 0xFFFFFF
            count += 1
            if count % 4 != 1 {
                result.append(UInt8(truncatingIfNeeded: bits >> (6 - 2 * ((count - 1) % 4))))
            }
        }
        return encode(result) == text ? result : nil
    }

    private static func value(of byte: UInt8) -> Int? {
        switch byte {
        case 0x41...0x5A: Int(byte) - 0x41
        case 0x61...0x7A: Int(byte) - 0x61 + 26
        case 0x30...0x39: Int(byte) - 0x30 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
