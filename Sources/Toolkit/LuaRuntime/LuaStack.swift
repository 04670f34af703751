// Reading and pushing Lua values with calls that cannot raise.

internal import CLua
internal import CShims
public import MediaCore

/// The stack of one Lua call, as host functions see it.
///
/// Every call here is one that Lua cannot leave by `longjmp`: reading never converts in place, table
/// access is raw, and pushing cannot fail while host code runs (the allocator grants it).
/// Threading: confined to the interpreter's thread; valid during the call only.
public struct LuaStack {
    /// The basic type of a value.
    public enum Kind: String, Sendable {
        /// No value at this place.
        case nothing = "no value"
        /// `nil`.
        case null = "nil"
        /// `true` or `false`.
        case boolean
        /// A bare pointer.
        case lightUserdata = "light userdata"
        /// An integer or a float.
        case number
        /// Bytes.
        case string
        /// A table.
        case table
        /// A function.
        case function
        /// An object of the host.
        case userdata
        /// A coroutine.
        case thread
    }

    /// The interpreter.
    public let state: LuaState
    let raw: OpaquePointer

    init(_ state: LuaState, _ raw: OpaquePointer) {
        self.state = state
        self.raw = raw
    }

    /// The number of values.
    public var count: Int32 { lua_gettop(raw) }

    /// The type of the value at `index`.
    public func kind(at index: Int32) -> Kind {
        switch lua_type(raw, index) {
        case LUA_TNIL: .null
        case LUA_TBOOLEAN: .boolean
        case LUA_TLIGHTUSERDATA: .lightUserdata
        case LUA_TNUMBER: .number
        case LUA_TSTRING: .string
        case LUA_TTABLE: .table
        case LUA_TFUNCTION: .function
        case LUA_TUSERDATA: .userdata
        case LUA_TTHREAD: .thread
        default: .nothing
        }
    }

    /// Whether there is no value or nil.
    public func isNil(at index: Int32) -> Bool { lua_type(raw, index) <= LUA_TNIL }

    /// A boolean; nil for anything else.
    public func bool(at index: Int32) -> Bool? {
        lua_type(raw, index) == LUA_TBOOLEAN ? lua_toboolean(raw, index) != 0 : nil
    }

    /// A number that is whole, whichever way it is stored; nil for anything else.
    public func int(at index: Int32) -> Int? {
        guard lua_type(raw, index) == LUA_TNUMBER else { return nil }
        var isWhole: Int32 = 0
        let value = lua_tointegerx(raw, index, &isWhole)
        return isWhole != 0 ? Int(value) : nil
    }

    /// Whether the number is stored as an integer.
    public func isInteger(at index: Int32) -> Bool { lua_isinteger(raw, index) != 0 }

    /// A number; nil for anything else.
    public func double(at index: Int32) -> Double? {
        guard lua_type(raw, index) == LUA_TNUMBER else { return nil }
        return lua_tonumberx(raw, index, nil)
    }

    /// The bytes of a string; nil for anything else, numbers included.
    public func bytes(at index: Int32) -> [UInt8]? {
        guard lua_type(raw, index) == LUA_TSTRING else { return nil }
        var length = 0
        guard let start = lua_tolstring(raw, index, &length) else { return nil }
        return Array(UnsafeRawBufferPointer(start: start, count: length))
    }

    /// A string, with bytes that are not UTF-8 kept as `String(osBytes:)` keeps them.
    public func string(at index: Int32) -> String? {
        bytes(at: index).map { String(osBytes: $0) }
    }

    /// What a message calls the value at `index`.
    public func typeName(at index: Int32) -> String {
        if kind(at: index) == .userdata, let object = state.object(at: index, raw) {
            return type(of: object).luaName
        }
        return kind(at: index).rawValue
    }

    /// The complaint about a value of another type than wanted.
    public func mismatch(_ expected: String, at index: Int32) -> MediaError {
        MediaError(.badArgument, "\(expected) expected, got \(typeName(at: index))")
    }

    /// Pushes nil.
    public func pushNil() { lua_pushnil(raw) }
    /// Pushes a boolean.
    public func push(_ value: Bool) { lua_pushboolean(raw, value ? 1 : 0) }
    /// Pushes an integer.
    public func push(_ value: Int) { lua_pushinteger(raw, lua_Integer(value)) }
    /// Pushes a floating-point number.
    public func push(_ value: Double) { lua_pushnumber(raw, value) }
    /// Pushes a string as the bytes it stands for.
    public func push(_ value: String) { push(bytes: value.osBytes) }
    /// Pushes a string of these bytes.
    public func push(bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            _ = lua_pushlstring(
                raw, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
        }
    }

    /// Pushes a new table; false (and nil instead) where the stack has no room for its fields.
    @discardableResult
    public func pushTable(elements: Int = 0, fields: Int = 0) -> Bool {
        guard lua_checkstack(raw, 8) != 0 else {
            lua_pushnil(raw)
            return false
        }
        lua_createtable(raw, Int32(clamping: elements), Int32(clamping: fields))
        return true
    }

    /// Sets a field of the table on top to what `value` pushes.
    public func setField(_ name: String, _ value: () -> Void) {
        push(name)
        value()
        lua_rawset(raw, -3)
    }

    /// Sets an element of the table on top, from 1, to what `value` pushes.
    public func setElement(_ number: Int, _ value: () -> Void) {
        value()
        lua_rawseti(raw, -2, lua_Integer(number))
    }

    /// Runs `body` with the index of a field's value, without regard to metatables.
    public func withField<Result>(
        _ name: String, of index: Int32, _ body: (Int32) throws(MediaError) -> Result
    ) throws(MediaError) -> Result {
        let table = lua_absindex(raw, index)
        guard lua_checkstack(raw, 8) != 0 else { throw LuaStack.tooDeep }
        defer { lua_settop(raw, -2) }
        push(name)
        lua_rawget(raw, table)
        return try body(lua_gettop(raw))
    }

    /// Runs `body` with the index of an element's value, from 1, without regard to metatables.
    public func withElement<Result>(
        _ number: Int, of index: Int32, _ body: (Int32) throws(MediaError) -> Result
    ) throws(MediaError) -> Result {
        let table = lua_absindex(raw, index)
        guard lua_checkstack(raw, 8) != 0 else { throw LuaStack.tooDeep }
        defer { lua_settop(raw, -2) }
        lua_rawgeti(raw, table, lua_Integer(number))
        return try body(lua_gettop(raw))
    }

    /// The length of a table without regard to metatables.
    public func length(at index: Int32) -> Int { Int(clamping: lua_rawlen(raw, index)) }

    /// Runs `body` with the indices of each key and value of a table, in no particular order.
    public func forEach(
        in index: Int32, _ body: (_ key: Int32, _ value: Int32) throws(MediaError) -> Void
    ) throws(MediaError) {
        let table = lua_absindex(raw, index)
        guard lua_checkstack(raw, 8) != 0 else { throw LuaStack.tooDeep }
        lua_pushnil(raw)
        let key = lua_gettop(raw)
        while lua_next(raw, table) != 0 {
            do throws(MediaError) {
                try body(key, key + 1)
            } catch {
                lua_settop(raw, key - 1)
                throw error
            }
            lua_settop(raw, key)
        }
    }

    /// The address of a table, to find tables inside themselves.
    public func identity(at index: Int32) -> UnsafeRawPointer? { lua_topointer(raw, index) }

    /// The deepest nesting of tables that is read or pushed.
    public static let deepest = 100

    /// The complaint about tables nested too deeply.
    public static var tooDeep: MediaError {
        MediaError(.badArgument, "tables nested more than \(deepest) levels deep")
    }
}
