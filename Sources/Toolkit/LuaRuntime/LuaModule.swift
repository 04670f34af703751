// The whole API as one table: modules, classes, and the types between them.

public import MediaCore

/// A value of a module that does not change.
public struct LuaConstant<Context>: Sendable {
    /// Its name.
    public let name: String
    /// Its LuaCATS type.
    public let type: String
    /// One sentence for people.
    public let summary: String
    let push: @Sendable (Context, LuaStack) -> Void

    /// Declares a constant.
    public init<Value: LuaPushable>(
        _ name: String, _ summary: String, type: String? = nil,
        value: @escaping @Sendable (Context) -> Value
    ) {
        self.name = name
        self.type = type ?? Value.luaType
        self.summary = summary
        push = { context, stack in value(context).push(to: stack) }
    }
}

/// A table of functions.
public struct LuaModule<Context>: Sendable {
    /// Its name; a dot leads into the table of that name: `mk.log`.
    public let name: String
    /// One sentence for people.
    public let summary: String
    /// Its values.
    public let constants: [LuaConstant<Context>]
    /// Its functions.
    public let functions: [LuaFunction<Context>]

    /// Declares a module.
    public init(
        _ name: String, _ summary: String, constants: [LuaConstant<Context>] = [],
        _ functions: [LuaFunction<Context>]
    ) {
        self.name = name
        self.summary = summary
        self.constants = constants
        self.functions = functions
    }
}

/// A field of a handle.
public struct LuaProperty<Context>: Sendable {
    /// Its name.
    public let name: String
    /// Its LuaCATS type.
    public let type: String
    /// One sentence for people.
    public let summary: String
    /// Whether scripts may set it.
    public var isWritable: Bool { setter != nil }

    let getter: @Sendable (Context, LuaStack) -> LuaOutcome
    let setter: (@Sendable (Context, LuaStack) -> LuaOutcome)?

    /// Declares a field of a handle.
    public init<Object: LuaObject, Value: LuaReadable & LuaPushable>(
        of object: Object.Type, _ name: String, _ summary: String,
        get: @escaping @Sendable (Context, Object) -> Value,
        set: (@Sendable (Context, Object, Value) throws(MediaError) -> Void)? = nil
    ) {
        self.name = name
        type = Value.luaType + (Value.isLuaOptional ? "?" : "")
        self.summary = summary
        getter = { context, stack in
            guard let object = stack.state.object(at: 1, stack.raw, as: object) else {
                return .raise("\(object.luaName) expected")
            }
            return .results(get(context, object).pushResults(to: stack))
        }
        guard let set else {
            setter = nil
            return
        }
        setter = { context, stack in
            do throws(MediaError) {
                let object = try object.read(stack, at: 1)
                try set(context, object, try Value.read(stack, at: 3))
                return .results(0)
            } catch {
                return .raise("field '\(name)': \(error.message)")
            }
        }
    }
}

/// A type of handle.
public struct LuaClass<Context>: Sendable {
    /// Its name: `mk.Player`.
    public let name: String
    /// One sentence for people.
    public let summary: String
    /// Its methods.
    public let methods: [LuaFunction<Context>]
    /// Its fields.
    public let properties: [LuaProperty<Context>]
    /// What a variable declared `<close>` does at the end of its block.
    let close: (@Sendable (Context, LuaStack) -> LuaOutcome)?
    let identifier: ObjectIdentifier

    /// Declares a type of handle.
    public init<Object: LuaObject>(
        _ type: Object.Type, _ summary: String, properties: [LuaProperty<Context>] = [],
        close: (@Sendable (Context, Object) -> Void)? = nil, _ methods: [LuaFunction<Context>]
    ) {
        name = type.luaName
        self.summary = summary
        self.methods = methods
        self.properties = properties
        identifier = ObjectIdentifier(type)
        guard let close else {
            self.close = nil
            return
        }
        self.close = { context, stack in
            if let object = stack.state.object(at: 1, stack.raw, as: type) {
                stack.state.pausingClock { close(context, object) }
            }
            return .results(0)
        }
    }
}

/// A union of words, as the stub prints it.
public struct LuaEnumDescription: Sendable {
    /// Its name: `mk.SeekMode`.
    public let name: String
    /// One sentence for people.
    public let summary: String
    /// The words.
    public let words: [String]

    /// Describes an enum of Swift.
    public init<Value: LuaEnum>(_ type: Value.Type) {
        name = type.luaName
        summary = type.luaSummary
        words = type.allCases.map(\.rawValue)
    }

    /// Describes a list of words.
    public init(name: String, summary: String, words: [String]) {
        self.name = name
        self.summary = summary
        self.words = words
    }
}

/// Everything that scripts can use; dispatch, stub and reference come from it.
public struct LuaAPI<Context>: Sendable {
    /// The modules, outer ones first.
    public let modules: [LuaModule<Context>]
    /// The types of handles.
    public let classes: [LuaClass<Context>]
    /// The types of tables.
    public let records: [LuaRecordDescription]
    /// The unions of words.
    public let enums: [LuaEnumDescription]

    /// Joins the parts.
    public init(
        modules: [LuaModule<Context>], classes: [LuaClass<Context>],
        records: [LuaRecordDescription], enums: [LuaEnumDescription]
    ) {
        self.modules = modules
        self.classes = classes
        self.records = records
        self.enums = enums
    }
}
