// An option as data: name, kind, range, default, unit, sentence.

/// The value of an option.
public enum OptionValue: Hashable, Sendable, CustomStringConvertible {
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)

    /// The value as it is written in a chain; `1` and `0` for yes and no.
    public var description: String {
        switch self {
        case .bool(let value): value ? "1" : "0"
        case .int(let value): String(value)
        case .double(let value):
            value == value.rounded() && abs(value) < 1e15
                ? String(Int(value)) : String(value)
        case .string(let value): value
        }
    }
}

/// Declares one option once: checking, help, Lua stub and reference pages come from it.
public struct OptionSpec: Sendable {
    /// What values an option takes.
    public enum Kind: Hashable, Sendable {
        case bool
        case int(ClosedRange<Int>)
        case double(ClosedRange<Double>)
        /// One of these words.
        case choice([String])
        case string
    }

    /// The name, lower case with underscores.
    public let name: String
    /// What values it takes.
    public let kind: Kind
    /// The value when none is given; nil where that means "not set".
    public let defaultValue: OptionValue?
    /// `dB`, `LUFS`, `s`, …; empty for plain numbers and words.
    public let unit: String
    /// One sentence for people.
    public let summary: String
    /// Whether a change takes effect while playing.
    public let isLive: Bool

    /// Declares an option.
    public init(
        _ name: String, _ kind: Kind, default defaultValue: OptionValue?, unit: String = "",
        live isLive: Bool = false, _ summary: String
    ) {
        self.name = name
        self.kind = kind
        self.defaultValue = defaultValue
        self.unit = unit
        self.isLive = isLive
        self.summary = summary
    }

    /// The values it takes, as help shows them: `1…10`, `a|b`, `yes|no`.
    public var domain: String {
        switch kind {
        case .bool: "yes|no"
        case .int(let range): "\(range.lowerBound)…\(range.upperBound)"
        case .double(let range):
            "\(OptionValue.double(range.lowerBound))…\(OptionValue.double(range.upperBound))"
        case .choice(let words): words.joined(separator: "|")
        case .string: "text"
        }
    }

    /// Checks a value that a program gives; whole numbers pass as doubles, words as what they spell.
    public func check(_ value: OptionValue) throws(MediaError) -> OptionValue {
        switch (kind, value) {
        case (.bool, .bool), (.string, .string): return value
        case (.bool, .int(let number)) where number == 0 || number == 1: return .bool(number == 1)
        case (.int(let range), .int(let number)) where range.contains(number): return value
        case (.int, .double(let number)) where number == number.rounded() && abs(number) < 1e15:
            return try check(.int(Int(number)))
        case (.double, .int(let number)): return try check(.double(Double(number)))
        case (.double(let range), .double(let number)) where range.contains(number): return value
        case (.choice(let words), .string(let word)) where words.contains(word): return value
        case (_, .string(let text)) where kind != .string: return try parse(text)
        default: throw refusal(value.description)
        }
    }

    /// Reads a value from text.
    public func parse(_ text: String) throws(MediaError) -> OptionValue {
        switch kind {
        case .bool:
            switch text.lowercased() {
            case "1", "yes", "true", "on": return .bool(true)
            case "0", "no", "false", "off": return .bool(false)
            default: throw refusal(text)
            }
        case .int(let range):
            guard let number = Int(text), range.contains(number) else { throw refusal(text) }
            return .int(number)
        case .double(let range):
            guard let number = Double(text), range.contains(number) else { throw refusal(text) }
            return .double(number)
        case .choice(let words):
            guard words.contains(text) else { throw refusal(text) }
            return .string(text)
        case .string:
            return .string(text)
        }
    }

    /// What a text is not that was refused: the domain, or that it must be a whole number of it.
    public func expectation(of text: String) -> String {
        guard case .int = kind, let number = Double(text), number != number.rounded() else {
            return domain
        }
        return "a whole number, \(domain)"
    }

    private func refusal(_ text: String) -> MediaError {
        let expected = expectation(of: text)
        let range = unit.isEmpty ? expected : "\(expected) \(unit)"
        return MediaError(.badArgument, "option '\(name)': '\(text)' is not \(range)")
    }
}
