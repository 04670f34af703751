// JSON values, read and written by jansson.

internal import CJansson

/// A JSON value; objects keep the order of their members.
public indirect enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSON])
    case object([Member])

    /// One name and value of an object.
    public struct Member: Hashable, Sendable {
        /// The name.
        public let name: String
        /// The value.
        public let value: JSON

        /// Joins a name and a value.
        public init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// Reads one value from text; `bad-argument` with line and column where it is not JSON.
    ///
    /// Nesting is limited to 2048 levels (jansson's own limit); numbers beyond the range of `Int64`
    /// or `Double` are refused.
    public init(parsing text: some Collection<UInt8>) throws(MediaError) {
        let bytes = Array(text)
        var error = json_error_t()
        let root = bytes.withUnsafeBytes { buffer in
            json_loadb(
                buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count,
                size_t(JSON_DECODE_ANY | JSON_ALLOW_NUL), &error)
        }
        guard let root else {
            let reason = withUnsafeBytes(of: &error.text) { raw in
                String(decoding: raw.prefix(while: { $0 != 0 }), as: UTF8.self)
            }
            throw MediaError(
                .badArgument, "json line \(error.line) column \(error.column): \(reason)")
        }
        defer { mk_json_decref(root) }
        self = JSON(copying: root)
    }

    /// The member with this name, if the value is an object that has it.
    public subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// The text of a string value.
    public var text: String? { if case .string(let value) = self { value } else { nil } }

    /// The number of an int or double value.
    public var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The whole number of an int value.
    public var integer: Int64? { if case .int(let value) = self { value } else { nil } }

    /// The elements of an array value.
    public var elements: [JSON]? { if case .array(let value) = self { value } else { nil } }

    private init(copying value: UnsafeMutablePointer<json_t>) {
        switch value.pointee.type {
        case JSON_TRUE: self = .bool(true)
        case JSON_FALSE: self = .bool(false)
        case JSON_INTEGER: self = .int(Int64(json_integer_value(value)))
        case JSON_REAL: self = .double(json_real_value(value))
        case JSON_STRING: self = .string(JSON.string(of: value))
        case JSON_ARRAY:
            self = .array(
                (0..<json_array_size(value)).compactMap { index in
                    json_array_get(value, index).map { JSON(copying: $0) }
                })
        case JSON_OBJECT:
            var members: [Member] = []
            var iterator = json_object_iter(value)
            while let place = iterator {
                if let key = json_object_iter_key(place), let member = json_object_iter_value(place)
                {
                    members.append(Member(String(cString: key), JSON(copying: member)))
                }
                iterator = json_object_iter_next(value, place)
            }
            self = .object(members)
        default: self = .null
        }
    }

    private static func string(of value: UnsafeMutablePointer<json_t>) -> String {
        guard let start = json_string_value(value) else { return "" }
        let raw = UnsafeRawBufferPointer(start: start, count: json_string_length(value))
        return String(decoding: raw, as: UTF8.self)
    }
}

extension OptionValue {
    /// The value as JSON.
    public var json: JSON {
        switch self {
        case .bool(let value): .bool(value)
        case .int(let value): .int(Int64(value))
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        }
    }
}
