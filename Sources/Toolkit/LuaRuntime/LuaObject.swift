// Handles: host objects that Lua holds and calls methods on.

internal import CLua
internal import CShims
public import MediaCore

/// A host object behind a Lua handle.
///
/// The same object is always the same handle, so handles compare and serve as table keys. The handle
/// keeps the object until Lua collects it.
public protocol LuaObject: AnyObject, LuaReadable, LuaPushable {
    /// The name of the handle's type: `mk.Player`.
    static var luaName: String { get }
    /// What `tostring` gives.
    var luaText: String { get }
}

extension LuaObject {
    /// The name of the handle's type.
    public static var luaType: String { luaName }
    /// The name of the type.
    public var luaText: String { Self.luaName }

    /// Takes handles of this type.
    public static func read(_ stack: LuaStack, at index: Int32) throws(MediaError) -> Self {
        guard let object = stack.state.object(at: index, stack.raw, as: self) else {
            throw stack.mismatch(luaName, at: index)
        }
        return object
    }

    /// Pushes the handle.
    public func push(to stack: LuaStack) { stack.state.pushHandle(self, stack) }
}

extension LuaState {
    /// The object behind the handle at `index`, if it is one of a known class.
    func object(at index: Int32, _ raw: OpaquePointer) -> (any LuaObject)? {
        guard
            let pointer = mk_lua_to_object(raw, index, LuaState.handleTag)
        else { return nil }
        return Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue() as? any LuaObject
    }

    func object<Object: LuaObject>(
        at index: Int32, _ raw: OpaquePointer, as type: Object.Type
    ) -> Object? {
        guard let pointer = mk_lua_to_object(raw, index, LuaState.handleTag) else { return nil }
        return Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue() as? Object
    }

    /// Marks metatables of handles; only its address matters.
    static var handleTag: UnsafeRawPointer? { UnsafeRawPointer(bitPattern: 0x6D6B) }

    /// Pushes the handle of `object`, a new one where Lua holds none.
    func pushHandle(_ object: some LuaObject, _ stack: LuaStack) {
        let raw = stack.raw
        guard lua_checkstack(raw, 8) != 0,
            let metatable = classes[ObjectIdentifier(type(of: object))]
        else {
            lua_pushnil(raw)
            return
        }
        let retained = Unmanaged.passRetained(object as AnyObject)
        lua_rawgeti(raw, mk_lua_registry, lua_Integer(handleCache))
        if lua_rawgetp(raw, -1, retained.toOpaque()) == LUA_TUSERDATA {
            retained.release()
        } else {
            lua_settop(raw, -2)
            lua_rawgeti(raw, mk_lua_registry, lua_Integer(metatable))
            mk_lua_push_object(raw, retained.toOpaque())
            lua_pushvalue(raw, -1)
            lua_rawsetp(raw, -3, retained.toOpaque())
        }
        lua_rotate(raw, -2, -1)
        lua_settop(raw, -2)
    }

    /// Makes the table in which handles are found again; it does not keep them alive.
    func makeHandleCache() -> Int32 {
        lua_createtable(raw, 0, 0)
        lua_createtable(raw, 0, 1)
        let stack = LuaStack(self, raw)
        stack.setField("__mode") { stack.push("v") }
        lua_setmetatable(raw, -2)
        return luaL_ref(raw, mk_lua_registry)
    }

    /// Makes the metatable of a class and remembers it.
    func install<Context>(_ type: LuaClass<Context>, context: Context) {
        let stack = LuaStack(self, raw)
        mk_lua_push_metatable(raw, LuaState.handleTag, type.name)
        stack.pushTable(fields: type.methods.count)
        for method in type.methods {
            stack.setField(method.name) { push(method.bound(to: context), stack) }
        }
        let methods = luaL_ref(raw, mk_lua_registry)
        let properties = type.properties
        let names = type.methods.map(\.name) + properties.map(\.name)
        stack.setField("__index") {
            push(
                LuaBody { stack in
                    let name = stack.string(at: 2) ?? ""
                    lua_rawgeti(stack.raw, mk_lua_registry, lua_Integer(methods))
                    lua_pushvalue(stack.raw, 2)
                    if lua_rawget(stack.raw, -2) != LUA_TNIL { return .results(1) }
                    guard let property = properties.first(where: { $0.name == name }) else {
                        let hint = Suggestion.sentence(for: name, among: names)
                        return .raise("\(type.name) has no '\(name.printable)'\(hint)")
                    }
                    return property.getter(context, stack)
                }, stack)
        }
        stack.setField("__newindex") {
            push(
                LuaBody { stack in
                    let name = stack.string(at: 2) ?? ""
                    guard let property = properties.first(where: { $0.name == name }),
                        let set = property.setter
                    else { return .raise("\(type.name) has no '\(name.printable)' to set") }
                    return set(context, stack)
                }, stack)
        }
        stack.setField("__tostring") {
            push(
                LuaBody { stack in
                    let text = stack.state.object(at: 1, stack.raw)?.luaText
                    stack.push(text ?? type.name)
                    return .results(1)
                }, stack)
        }
        if let close = type.close {
            stack.setField("__close") { push(LuaBody { close(context, $0) }, stack) }
        }
        classes[type.identifier] = luaL_ref(raw, mk_lua_registry)
    }
}
