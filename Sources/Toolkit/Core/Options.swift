// Checked option values with their defaults.

/// The values of a set of declared options.
public struct Options: Hashable, Sendable {
    /// The values that were given, checked.
    public private(set) var given: [String: OptionValue] = [:]
    private var defaults: [String: OptionValue] = [:]

    /// Makes an empty set, for what has no options.
    public init() {}

    /// Checks `values` against `specs`; unknown names and bad values throw `bad-argument`.
    ///
    /// - Parameter owner: whose options they are, for the message.
    public init(
        _ values: [String: OptionValue], specs: [OptionSpec], owner: String
    ) throws(MediaError) {
        for spec in specs { defaults[spec.name] = spec.defaultValue }
        try set(values, specs: specs, owner: owner)
    }

    /// Checks and changes values; nothing changes when one is wrong.
    public mutating func set(
        _ values: [String: OptionValue], specs: [OptionSpec], owner: String
    ) throws(MediaError) {
        var changed = given
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let spec = specs.first(where: { $0.name == name }) else {
                let hint = Suggestion.sentence(for: name, among: specs.map(\.name))
                throw MediaError(.badArgument, "\(owner): no option '\(name)'\(hint)")
            }
            do {
                changed[name] = try spec.check(value)
            } catch {
                throw error.prefixed(owner)
            }
        }
        given = changed
    }

    /// The given value, or the default; nil where neither is.
    public subscript(name: String) -> OptionValue? { given[name] ?? defaults[name] }

    /// A yes-or-no option; false where it is not set.
    public func bool(_ name: String) -> Bool {
        if case .bool(let value) = self[name] { value } else { false }
    }

    /// A whole number; nil where it is not set.
    public func int(_ name: String) -> Int? {
        if case .int(let value) = self[name] { value } else { nil }
    }

    /// A number; nil where it is not set.
    public func double(_ name: String) -> Double? {
        switch self[name] {
        case .double(let value): value
        case .int(let value): Double(value)
        default: nil
        }
    }

    /// A text or a word; nil where it is not set.
    public func string(_ name: String) -> String? {
        if case .string(let value) = self[name] { value } else { nil }
    }
}
