// Lua functions and tables that the host keeps.

internal import CLua
public import MediaCore

/// Keeps a Lua value alive between calls.
///
/// Threading: confined to the interpreter's thread, its end included.
public final class LuaReference {
    private let state: LuaState
    private let number: Int32

    /// Keeps the value at `index`.
    public init(_ stack: LuaStack, at index: Int32) {
        state = stack.state
        lua_pushvalue(stack.raw, index)
        number = luaL_ref(stack.raw, mk_lua_registry)
    }

    /// Pushes the value; nil once the interpreter is closed.
    public func push(to stack: LuaStack) {
        guard state.isOpen else { return stack.pushNil() }
        lua_rawgeti(stack.raw, mk_lua_registry, lua_Integer(number))
    }

    deinit { state.release(reference: number) }
}

@available(*, unavailable)
extension LuaReference: Sendable {}

/// A function that Lua gives to be called later.
///
/// The stub prints the signature that the parameter declares.
public struct LuaCallback: LuaReadable {
    /// The function.
    public let reference: LuaReference

    /// `function`.
    public static var luaType: String { "function" }

    /// Keeps a function that was read as a value.
    public init(_ reference: LuaReference) { self.reference = reference }

    /// Takes functions only.
    public static func read(_ stack: LuaStack, at index: Int32) throws(MediaError) -> LuaCallback {
        guard stack.kind(at: index) == .function else {
            throw stack.mismatch("function", at: index)
        }
        return LuaCallback(LuaReference(stack, at: index))
    }
}

extension LuaCallback: LuaPushable {
    /// Pushes the function.
    public func push(to stack: LuaStack) { reference.push(to: stack) }
}
