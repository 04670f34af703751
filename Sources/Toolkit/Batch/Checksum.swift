// Sums that tell damaged or different text from the same.

/// CRC-32 of lines, and a 128-bit FNV-1a digest of what a result depends on.
enum Checksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
        }
    }

    /// The CRC-32 (IEEE 802.3) as eight hexadecimal digits.
    static func crc32(_ bytes: some Sequence<UInt8>) -> String {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes { sum = table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ (sum >> 8) }
        return hexadecimal(UInt64(sum ^ 0xFFFF_FFFF), digits: 8)
    }

    /// The FNV-1a digest of 128 bits as 32 hexadecimal digits.
    ///
    /// - Source: the FNV authors' constants (draft-eastlake-fnv): offset basis
    ///   0x6c62272e07bb014262b821756295c58d, prime 2^88 + 2^8 + 0x3b.
    static func fnv128(_ bytes: some Sequence<UInt8>) -> String {
        var high: UInt64 = 0x6C62_272E_07BB_0142
        var low: UInt64 = 0x62B8_2175_6295_C58D
        for byte in bytes {
            low ^= UInt64(byte)
            let product = low.multipliedFullWidth(by: 0x13B)
            high = (high &* 0x13B) &+ product.high &+ (low << 24)
            low = product.low
        }
        return hexadecimal(high, digits: 16) + hexadecimal(low, digits: 16)
    }

    private static func hexadecimal(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
