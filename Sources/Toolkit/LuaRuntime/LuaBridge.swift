// The functions that C calls: one line each, errors and frames end here.

internal import CShims
internal import MediaCore

/// Runs the host function behind a closure of Lua.
func luaCallBody(_ raw: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let raw, let context else { return 0 }
    let body = Unmanaged<LuaBody>.fromOpaque(context).takeUnretainedValue()
    guard let state = body.state?.takeUnretainedValue() else { return 0 }
    return state.run(body, on: raw)
}

/// Lets go of the object behind a collected handle.
func luaRelease(_ object: UnsafeMutableRawPointer?) {
    guard let object else { return }
    Unmanaged<AnyObject>.fromOpaque(object).release()
}

/// Logs what `warn` says.
func luaWarn(_ text: UnsafePointer<CChar>?) {
    guard let text else { return }
    Log.warning("lua", String(cString: text))
}
