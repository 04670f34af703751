// One filter of a chain, as data.

public import MediaCore

/// A filter by name and options, or raw libavfilter text; not yet made.
public struct FilterSpec: Hashable, Sendable, CustomStringConvertible {
    /// What runs.
    public enum Body: Hashable, Sendable {
        /// A filter plugin and its option values, unchecked.
        case named(String, [String: OptionValue])
        /// libavfilter text; `lavfi.` stands before a name that a plugin has as well.
        case raw(String)
    }

    /// What runs.
    public var body: Body
    /// The name by which it is changed while playing; unique in its chain.
    public var label: String?
    /// Whether sound goes through it or past it.
    public var isEnabled: Bool

    /// Describes a filter.
    public init(_ body: Body, label: String? = nil, isEnabled: Bool = true) {
        self.body = body
        self.label = label
        self.isEnabled = isEnabled
    }

    /// The label, or else the plugin's name, or else the text.
    public var title: String {
        if let label { return label }
        return switch body {
        case .named(let name, _): name
        case .raw(let text): text
        }
    }

    /// The filter in the chain language, options by name.
    public var description: String {
        let mark = label.map { "@\($0)" } ?? ""
        switch body {
        case .raw(let text):
            guard let label else { return text }
            let letters = ChainSyntax.letters(text)
            let name = letters.prefix { $0 != "=" && $0 != "@" }
            return "\(String(name))@\(label)\(String(letters.dropFirst(name.count)))"
        case .named(let name, let values):
            let options = values.sorted { $0.key < $1.key }.map { name, value in
                "\(name)=\(ChainSyntax.quoted(value.description))"
            }
            return name + mark + (options.isEmpty ? "" : "=" + options.joined(separator: ":"))
        }
    }
}

extension FilterSpec {
    /// The filter with other values of options; those that are not given stay.
    ///
    /// - Throws: `bad-argument` for a name that no option can have, and for libavfilter text that is
    ///   more than one filter, where it is not known which is meant.
    package func setting(_ values: [String: OptionValue]) throws(MediaError) -> FilterSpec {
        var next = self
        switch body {
        case .named(let name, let old):
            next.body = .named(name, old.merging(values) { $1 })
        case .raw(let text):
            if let name = values.keys.sorted().first(where: { !ChainSyntax.isOptionName($0) }) {
                throw MediaError(.badArgument, "\(title): no option '\(name)'")
            }
            let sorted = values.sorted { $0.key < $1.key }
                .map { (name: $0.key, value: $0.value.description) }
            guard let changed = ChainSyntax.setting(sorted, in: text) else {
                throw MediaError(
                    .badArgument,
                    "\(title): options are changed where a label has one filter only")
            }
            next.body = .raw(changed)
        }
        return next
    }
}

/// A list of filters that sound passes in order.
public struct FilterChain: Hashable, Sendable, CustomStringConvertible {
    /// The filters, first one first.
    public var filters: [FilterSpec]

    /// Makes a chain of these filters.
    public init(_ filters: [FilterSpec] = []) { self.filters = filters }

    /// The chain in the chain language.
    public var description: String {
        filters.map(\.description).joined(separator: ",")
    }

    /// The place of the filter with this label, or else with this plugin name.
    public func index(of label: String) -> Int? {
        filters.firstIndex { $0.label == label } ?? filters.firstIndex { $0.title == label }
    }
}
