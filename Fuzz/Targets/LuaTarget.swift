// Random calls of the Lua API, made from the table that the stub is printed from.

internal import MediaModel
internal import Plugins
internal import Scripting

let luaTarget = FuzzTarget(name: "lua") { bytes in
    guard let registry = LuaTarget.registry else { preconditionFailure("no registry") }
    ScriptFuzzer.run(Array(bytes), registry: registry)
}

private enum LuaTarget {
    static let registry = try? BuiltinPlugins.makeRegistry()
}
