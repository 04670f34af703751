// Bytes of the system (file names, arguments) as Swift strings, without loss.

extension String {
    // Bytes that are not UTF-8 become one scalar each in U+10FF00…U+10FFFF, a block of private use.
    private static let escapeBase: UInt32 = 0x10FF00

    /// The text of bytes that are UTF-8 by convention only; `osBytes` gives the same bytes back.
    public init(osBytes bytes: some Collection<UInt8>) {
        let contiguous = Array(bytes)
        if let valid = String(validating: contiguous, as: UTF8.self),
            !valid.unicodeScalars.contains(where: { $0.value >= String.escapeBase })
        {
            self = valid
            return
        }
        var scalars = String.UnicodeScalarView()
        var rest = contiguous[...]
        while let first = rest.first {
            let width = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
            let head = rest.prefix(width)
            if let text = String(validating: head, as: UTF8.self),
                let scalar = text.unicodeScalars.first, scalar.value < String.escapeBase
            {
                scalars.append(scalar)
                rest = rest.dropFirst(head.count)
            } else {
                if let escaped = Unicode.Scalar(String.escapeBase + UInt32(first)) {
                    scalars.append(escaped)
                }
                rest = rest.dropFirst()
            }
        }
        self = String(scalars)
    }

    /// The system's bytes of this text.
    public var osBytes: [UInt8] {
        guard unicodeScalars.contains(where: { $0.value >= String.escapeBase }) else {
            return Array(utf8)
        }
        var bytes: [UInt8] = []
        for scalar in unicodeScalars {
            if scalar.value >= String.escapeBase {
                bytes.append(UInt8(scalar.value - String.escapeBase))
            } else {
                bytes.append(contentsOf: Array(String(Character(scalar)).utf8))
            }
        }
        return bytes
    }

    /// Calls `body` with the system's bytes as a zero-ended C string.
    public func withOSPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let bytes = osBytes.map { CChar(bitPattern: $0) } + [0]
        return body(bytes)
    }

    /// The text for a person: bytes that are not UTF-8 show as `\xNN`, control characters too.
    public var printable: String {
        var text = ""
        for scalar in unicodeScalars {
            let isEscape = scalar.value >= String.escapeBase
            if isEscape || scalar.value < 0x20 || scalar.value == 0x7F {
                let hex = String(
                    isEscape ? scalar.value - String.escapeBase : scalar.value, radix: 16)
                text += "\\x" + (hex.count == 1 ? "0" : "") + hex
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
