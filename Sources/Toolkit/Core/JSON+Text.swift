// JSON values as text.

extension JSON: CustomStringConvertible {
    /// The value on one line.
    public var description: String { text(indent: nil) }

    /// The value over several lines, two spaces a level.
    public var pretty: String { text(indent: 0) }

    private func text(indent: Int?) -> String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .double(let value): JSON.text(value)
        case .string(let value): JSON.quoted(value)
        case .array(let values):
            JSON.joined(values.map { $0.text(indent: indent.map { $0 + 1 }) }, "[", "]", indent)
        case .object(let members):
            JSON.joined(
                members.map { member in
                    JSON.quoted(member.name) + (indent == nil ? ":" : ": ")
                        + member.value.text(indent: indent.map { $0 + 1 })
                }, "{", "}", indent)
        }
    }

    private static func joined(
        _ parts: [String], _ open: String, _ close: String, _ indent: Int?
    ) -> String {
        guard let indent, !parts.isEmpty else { return open + parts.joined(separator: ",") + close }
        let inner = "\n" + String(repeating: "  ", count: indent + 1)
        let outer = "\n" + String(repeating: "  ", count: indent)
        return open + inner + parts.joined(separator: "," + inner) + outer + close
    }

    // JSON has no infinity: what is not finite is null.
    private static func text(_ value: Double) -> String {
        value.isFinite ? "\(value)" : "null"
    }

    private static func quoted(_ value: String) -> String {
        var text = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let hex = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            case _ where scalar.value >= 0x10FF00:
                // A byte that is not UTF-8 (`String(osBytes:)`): escaped, or a writer would make the
                // byte of it again, and no JSON.
                let rest = scalar.value - 0x10000
                text += "\\u" + String(0xD800 + (rest >> 10), radix: 16)
                text += "\\u" + String(0xDC00 + (rest & 0x3FF), radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
