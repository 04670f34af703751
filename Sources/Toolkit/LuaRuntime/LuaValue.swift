// Any Lua value as data, for arguments whose shape is not fixed.

public import MediaCore

/// A Lua value taken apart: what JSON, chains and filter options are read from.
public indirect enum LuaValue: LuaReadable, LuaPushable {
    /// `nil`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// An integer.
    case int(Int)
    /// A float.
    case double(Double)
    /// Bytes, as text.
    case string(String)
    /// Elements from 1 on, and the fields with string keys in the order of their names.
    case table(elements: [LuaValue], fields: [(name: String, value: LuaValue)])
    /// A handle of the host.
    case object(any LuaObject)
    /// A function.
    case function(LuaReference)

    /// `any`.
    public static var luaType: String { "any" }

    /// Takes anything but coroutines and foreign userdata; tables must not contain themselves.
    public static func read(_ stack: LuaStack, at index: Int32) throws(MediaError) -> LuaValue {
        try read(stack, at: index, Walk())
    }

    /// Where reading is, and how much more may be read: a table that is met twice is read twice, so
    /// a small script could ask for more than any memory holds.
    private final class Walk {
        /// What a value costs beside its text.
        static let cost = 64
        var path: [UnsafeRawPointer] = []
        var room = 64 << 20

        func take(_ bytes: Int) throws(MediaError) {
            room -= Walk.cost + bytes
            if room < 0 { throw Walk.isFull }
        }

        static let isFull = MediaError(
            .badArgument, "a table holds more than can be passed at once")
    }

    private static func read(
        _ stack: LuaStack, at index: Int32, _ walk: Walk
    ) throws(MediaError) -> LuaValue {
        try walk.take(0)
        switch stack.kind(at: index) {
        case .nothing, .null: return .null
        case .boolean: return .bool(stack.bool(at: index) ?? false)
        case .number:
            if stack.isInteger(at: index) { return .int(stack.int(at: index) ?? 0) }
            return .double(stack.double(at: index) ?? 0)
        case .string:
            let text = stack.string(at: index) ?? ""
            try walk.take(text.utf8.count)
            return .string(text)
        case .table: return try readTable(stack, at: index, walk)
        case .function: return .function(LuaReference(stack, at: index))
        case .userdata:
            guard let object = stack.state.object(at: index, stack.raw) else { fallthrough }
            return .object(object)
        case .thread, .lightUserdata:
            throw MediaError(.badArgument, "a \(stack.typeName(at: index)) can't be used here")
        }
    }

    private static func readTable(
        _ stack: LuaStack, at index: Int32, _ walk: Walk
    ) throws(MediaError) -> LuaValue {
        guard walk.path.count < LuaStack.deepest else { throw LuaStack.tooDeep }
        guard let identity = stack.identity(at: index), !walk.path.contains(identity) else {
            throw MediaError(.badArgument, "a table contains itself")
        }
        walk.path.append(identity)
        defer { walk.path.removeLast() }
        let length = stack.length(at: index)
        guard length <= walk.room / Walk.cost else { throw Walk.isFull }
        var elements: [LuaValue] = []
        for number in 0..<length {
            elements.append(
                try stack.withElement(number + 1, of: index) { (place) throws(MediaError) in
                    try read(stack, at: place, walk)
                })
        }
        var fields: [(name: String, value: LuaValue)] = []
        try stack.forEach(in: index) { (key, value) throws(MediaError) in
            if let name = stack.string(at: key) {
                fields.append((name, try read(stack, at: value, walk)))
            } else if let number = stack.int(at: key), (1...max(length, 1)).contains(number) {
                return
            } else {
                throw MediaError(
                    .badArgument, "a table has a key that is neither a name nor in sequence")
            }
        }
        fields.sort { $0.name < $1.name }
        return .table(elements: elements, fields: fields)
    }

    /// Pushes the value; tables anew.
    public func push(to stack: LuaStack) {
        switch self {
        case .null: stack.pushNil()
        case .bool(let value): stack.push(value)
        case .int(let value): stack.push(value)
        case .double(let value): stack.push(value)
        case .string(let value): stack.push(value)
        case .object(let object): object.push(to: stack)
        case .function(let reference): reference.push(to: stack)
        case .table(let elements, let fields):
            guard stack.pushTable(elements: elements.count, fields: fields.count) else { return }
            for (offset, element) in elements.enumerated() {
                stack.setElement(offset + 1) { element.push(to: stack) }
            }
            for field in fields { stack.setField(field.name) { field.value.push(to: stack) } }
        }
    }
}

/// All further arguments of a call, for functions that take any number.
public struct LuaVariadic: LuaReadable {
    /// The arguments.
    public let values: [LuaValue]

    /// `any`, printed as `...`.
    public static var luaType: String { "any" }
    /// None may be given.
    public static var isLuaOptional: Bool { true }

    /// Takes everything from `index` on.
    public static func read(_ stack: LuaStack, at index: Int32) throws(MediaError) -> LuaVariadic {
        var values: [LuaValue] = []
        var place = index
        while place <= stack.count {
            values.append(try LuaValue.read(stack, at: place))
            place += 1
        }
        return LuaVariadic(values: values)
    }
}
