// A filter chain in the hands of a script, and how it is read from text and tables.

internal import LuaRuntime
internal import MediaCore
internal import MediaModel

/// The handle of a checked chain; it never changes, so players and batches can share it.
final class ScriptChain: LuaObject {
    static let luaName = "mk.Chain"
    let chain: FilterChain

    init(_ chain: FilterChain) { self.chain = chain }

    var luaText: String { chain.description }
}

/// An argument that means a chain: text, a handle, or a list of these and of filter tables.
struct ChainArgument: LuaReadable {
    static let luaType = "string|mk.Chain|mk.ChainElement[]"
    let value: LuaValue

    static func read(_ stack: LuaStack, at index: Int32) throws(MediaError) -> ChainArgument {
        let value = try LuaValue.read(stack, at: index)
        switch value {
        case .string, .table: return ChainArgument(value: value)
        case .object(let object) where object is ScriptChain: return ChainArgument(value: value)
        default: throw stack.mismatch("chain (text, list or mk.Chain)", at: index)
        }
    }

    /// The checked chain.
    func chain(_ setting: ScriptSetting) throws(MediaError) -> FilterChain {
        var reader = ChainReader(setting: setting)
        try reader.append(value, at: "")
        return reader.chain
    }

    /// The one checked filter that the argument must be.
    func filter(_ setting: ScriptSetting) throws(MediaError) -> FilterSpec {
        let filters = try chain(setting).filters
        guard let filter = filters.first, filters.count == 1 else {
            throw MediaError(.badArgument, "one filter expected, got \(filters.count)")
        }
        return filter
    }
}

/// Gathers filters from Lua values, naming the place of what is wrong.
private struct ChainReader {
    let setting: ScriptSetting
    var chain = FilterChain()

    mutating func append(_ value: LuaValue, at place: String) throws(MediaError) {
        do throws(MediaError) {
            switch value {
            case .string(let text):
                // Before parsing, which opens what a filter names.
                try setting.permissions.filters(text)
                let parsed = try FilterChain(parsing: text, registry: setting.registry)
                for filter in parsed.filters { try append(filter) }
            case .object(let object as ScriptChain):
                for filter in object.chain.filters { try append(filter) }
            case .table(let elements, let fields) where fields.isEmpty:
                for (offset, element) in elements.enumerated() {
                    try append(element, at: "element \(offset + 1)")
                }
            case .table(let elements, let fields):
                try append(try filter(elements, fields))
            default:
                throw MediaError(.badArgument, "text, a filter table or a chain expected")
            }
        } catch {
            throw place.isEmpty ? error : error.prefixed(place)
        }
    }

    /// Whether a text reads as one label in the chain language.
    private static func isLabel(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                !scalar.properties.isWhitespace
                    && !",:;@=[]'\\".unicodeScalars.contains(scalar)
            }
    }

    private mutating func append(_ filter: FilterSpec) throws(MediaError) {
        if let label = filter.label, chain.filters.contains(where: { $0.label == label }) {
            throw MediaError(.badArgument, "label '\(label)' is used twice")
        }
        chain.filters.append(filter)
    }

    /// The filter of a table: `{ "audioEnhance", label = "enhance", enable_surround = true }`.
    private func filter(
        _ elements: [LuaValue], _ fields: [(name: String, value: LuaValue)]
    ) throws(MediaError) -> FilterSpec {
        guard elements.count == 1, case .string(let name) = elements[0] else {
            throw MediaError(
                .badArgument, "a filter table begins with the filter's name, then options by name")
        }
        var values: [String: OptionValue] = [:]
        var spec = FilterSpec(.raw(name))
        for field in fields {
            switch (field.name, field.value) {
            case ("label", .string(let label)):
                guard ChainReader.isLabel(label) else {
                    throw MediaError(
                        .badArgument,
                        "label '\(label.printable)': a word without , : ; @ = [ ] ' \\")
                }
                spec.label = label
            case ("enabled", .bool(let isEnabled)): spec.isEnabled = isEnabled
            case ("label", _): throw MediaError(.badArgument, "label: string expected")
            case ("enabled", _): throw MediaError(.badArgument, "enabled: boolean expected")
            default:
                values[field.name] = try field.value.option(field.name)
            }
        }
        if setting.registry.filter(named: name) != nil {
            spec.body = .named(name, values)
        } else {
            let text = text(name, values)
            try setting.permissions.filters(text)
            spec.body = .raw(text)
        }
        try setting.registry.check(spec)
        return spec
    }

    /// A libavfilter filter as text; each value is quoted, so that no value becomes a filter.
    private func text(_ name: String, _ values: [String: OptionValue]) -> String {
        let options = values.sorted { $0.key < $1.key }.map { name, value in
            let quoted = value.description.split(separator: "'", omittingEmptySubsequences: false)
                .joined(separator: "'\\''")
            return "\(name)='\(quoted)'"
        }
        return options.isEmpty ? name : "\(name)=\(options.joined(separator: ":"))"
    }
}

/// Options that a script gives as a table: names with plain values, and others for the callee.
struct OptionTable: LuaReadable {
    static let luaType = "table"
    let values: [(name: String, value: LuaValue)]

    static func read(_ stack: LuaStack, at index: Int32) throws(MediaError) -> OptionTable {
        guard case .table(let elements, let fields) = try LuaValue.read(stack, at: index) else {
            throw stack.mismatch("table", at: index)
        }
        guard elements.isEmpty else {
            throw MediaError(.badArgument, "options by name expected, got a list")
        }
        return OptionTable(values: fields)
    }

    /// The value with this name.
    subscript(name: String) -> LuaValue? { values.first { $0.name == name }?.value }

    /// The plain values; `bad-argument` where another one is not among `others`.
    func plain(except others: Set<String> = []) throws(MediaError) -> [String: OptionValue] {
        var plain: [String: OptionValue] = [:]
        for (name, value) in values where !others.contains(name) {
            plain[name] = try value.option(name)
        }
        return plain
    }

    /// The plain values of declared options; `bad-argument` where one is of another type than the
    /// stub says: text for numbers is for filters and command lines.
    func plain(
        of specs: [OptionSpec], except others: Set<String> = []
    ) throws(MediaError) -> [String: OptionValue] {
        let plain = try plain(except: others)
        for spec in specs {
            guard let value = plain[spec.name], !spec.takes(value) else { continue }
            let wanted =
                switch spec.kind {
                case .bool: "boolean"
                case .int, .double: "number"
                case .choice, .string: "string"
                }
            throw MediaError(
                .badArgument, "option '\(spec.name)': \(wanted) expected, got \(value.luaType)")
        }
        return plain
    }
}

extension OptionValue {
    /// What Lua calls its type.
    fileprivate var luaType: String {
        switch self {
        case .bool: "boolean"
        case .int, .double: "number"
        case .string: "string"
        }
    }
}

extension LuaRecordDescription {
    /// The table type of declared options.
    init(name: String, summary: String, options: [OptionSpec], more: [Field] = []) {
        self.init(
            name: name, summary: summary,
            fields: options.map { spec in
                // What help writes for text, `FILE`, is no unit.
                let unit = spec.unit.isEmpty || spec.kind == .string ? "" : " In \(spec.unit)."
                return Field(
                    spec.name, type: spec.luaType, optional: true, spec.summary + unit)
            } + more)
    }
}

extension OptionSpec {
    /// Whether a value is of the type in the stub.
    fileprivate func takes(_ value: OptionValue) -> Bool {
        switch (kind, value) {
        case (.bool, .bool), (.int, .int), (.int, .double), (.double, .int), (.double, .double),
            (.choice, .string), (.string, .string):
            true
        default: false
        }
    }

    /// The type of the option's values in the stub.
    var luaType: String {
        switch kind {
        case .bool: "boolean"
        case .int: "integer"
        case .double: "number"
        case .choice(let words): words.map { "\"\($0)\"" }.joined(separator: "|")
        case .string: "string"
        }
    }
}
