// Tables with named fields: facts that Lua gets, options that Lua gives.

public import MediaCore

/// One named table type, as the stub and the reference print it.
public struct LuaRecordDescription: Sendable {
    /// One field.
    public struct Field: Sendable {
        /// Its name.
        public let name: String
        /// Its LuaCATS type.
        public let type: String
        /// Whether it may be missing.
        public let isOptional: Bool
        /// One sentence for people.
        public let summary: String

        /// Declares a field.
        public init(
            _ name: String, type: String, optional isOptional: Bool = false, _ summary: String
        ) {
            self.init(name: name, type: type, isOptional: isOptional, summary: summary)
        }

        init(name: String, type: String, isOptional: Bool, summary: String) {
            self.name = name
            self.type = type
            self.isOptional = isOptional
            self.summary = summary
        }
    }

    /// Its name: `mk.Track`.
    public let name: String
    /// One sentence for people.
    public let summary: String
    /// The fields, in the order of the declaration.
    public let fields: [Field]

    /// Declares a table type.
    public init(name: String, summary: String, fields: [Field]) {
        self.name = name
        self.summary = summary
        self.fields = fields
    }
}

/// A table of facts that is made for Lua.
public protocol LuaFacts: LuaPushable {
    /// The name of the table type: `mk.Track`.
    static var luaName: String { get }
    /// One sentence for people.
    static var luaSummary: String { get }
    /// The fields.
    static var luaFields: [LuaFact<Self>] { get }
}

/// One field of a table of facts.
public struct LuaFact<Root>: Sendable {
    let field: LuaRecordDescription.Field
    let push: @Sendable (Root, LuaStack) -> Void

    /// Declares a field that shows a property.
    public init<Value: LuaPushable>(
        _ name: String, _ property: any KeyPath<Root, Value> & Sendable, _ summary: String
    ) {
        field = .init(
            name: name, type: Value.luaType, isOptional: Value.isLuaOptional, summary: summary)
        push = { root, stack in root[keyPath: property].push(to: stack) }
    }
}

extension LuaFacts {
    /// The name of the table type.
    public static var luaType: String { luaName }
    /// What the stub prints.
    public static var luaDescription: LuaRecordDescription {
        LuaRecordDescription(
            name: luaName, summary: luaSummary, fields: luaFields.map { $0.field })
    }
    /// Pushes a table of the fields.
    public func push(to stack: LuaStack) {
        guard stack.pushTable(fields: Self.luaFields.count) else { return }
        for fact in Self.luaFields { stack.setField(fact.field.name) { fact.push(self, stack) } }
    }
}

/// A table of options that Lua gives; every option has a default.
public protocol LuaOptions: LuaReadable {
    /// The name of the table type: `mk.PlayerOptions`.
    static var luaName: String { get }
    /// One sentence for people.
    static var luaSummary: String { get }
    /// The options.
    static var luaFields: [LuaOption<Self>] { get }
    /// All defaults.
    init()
}

/// One option of a table.
public struct LuaOption<Root>: Sendable {
    let field: LuaRecordDescription.Field
    let read: @Sendable (inout Root, LuaStack, Int32) throws(MediaError) -> Void

    /// Declares an option that sets a property.
    public init<Value: LuaReadable>(
        _ name: String, _ property: any WritableKeyPath<Root, Value> & Sendable, _ summary: String
    ) {
        field = .init(name: name, type: Value.luaType, isOptional: true, summary: summary)
        read = { (root, stack, index) throws(MediaError) in
            root[keyPath: property] = try Value.read(stack, at: index)
        }
    }
}

extension LuaOptions {
    /// The name of the table type.
    public static var luaType: String { luaName }
    /// What the stub prints.
    public static var luaDescription: LuaRecordDescription {
        LuaRecordDescription(
            name: luaName, summary: luaSummary, fields: luaFields.map { $0.field })
    }
    /// Takes a table with known fields only.
    public static func read(_ stack: LuaStack, at index: Int32) throws(MediaError) -> Self {
        guard stack.kind(at: index) == .table else { throw stack.mismatch("table", at: index) }
        let options = luaFields
        var result = Self()
        try stack.forEach(in: index) { (key, value) throws(MediaError) in
            guard let name = stack.string(at: key) else {
                throw MediaError(
                    .badArgument, "named fields expected, got a \(stack.typeName(at: key)) key")
            }
            guard let option = options.first(where: { $0.field.name == name }) else {
                let hint = Suggestion.sentence(for: name, among: options.map { $0.field.name })
                throw MediaError(.badArgument, "no field '\(name.printable)'\(hint)")
            }
            do throws(MediaError) {
                try option.read(&result, stack, value)
            } catch {
                throw error.prefixed("field '\(name)'")
            }
        }
        return result
    }
}
