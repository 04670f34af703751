// One Lua interpreter: running text, calling functions, and what bounds both.

internal import CLua
internal import CShims
public import MediaCore

/// An interpreter of Lua 5.4 that host code can enter and leave safely.
///
/// Everything Lua runs is inside `lua_pcall`, under a memory limit and a clock. Threading: confined
/// to one thread, except `stopper`, which works from any.
public final class LuaState {
    /// What bounds a script.
    public struct Limits: Sendable {
        /// How long code may run without a pause (a wait, or the end of a callback); zero: for ever.
        public var time: MediaTime
        /// The most memory it may use, in bytes; zero: any.
        public var memory: Int

        /// Sets the bounds; 10 seconds and 512 MiB are the defaults.
        public init(
            time: MediaTime = MediaTime(seconds: 10), memory: Int = 512 << 20
        ) {
            self.time = time
            self.memory = memory
        }
    }

    /// What bounds the scripts of this interpreter.
    public let limits: Limits
    /// Stops the script from any thread.
    public let stopper: LuaStopper

    let raw: OpaquePointer
    var classes: [ObjectIdentifier: Int32] = [:]
    private(set) var handleCache: Int32 = 0
    private var bodies: [LuaBody] = []
    private var current: OpaquePointer
    private(set) var isOpen = true

    /// Makes an interpreter with nothing in it but what `libraries` says.
    ///
    /// - Parameter output: takes each line that `print` makes; false where it can't be written,
    ///   which stops the script.
    /// - Throws: `internal` when there is no memory for it.
    public init(
        limits: Limits = Limits(), libraries: LuaSandbox.Libraries = .contained,
        output: @escaping ([UInt8]) -> Bool
    ) throws(MediaError) {
        guard let raw = mk_lua_open(limits.memory, luaCallBody, luaRelease, luaWarn) else {
            throw MediaError(.internalError, "no memory for a Lua interpreter")
        }
        self.limits = limits
        self.raw = raw
        current = raw
        stopper = LuaStopper(raw)
        handleCache = makeHandleCache()
        push(LuaSandbox.printing(to: output), LuaStack(self, raw))
        mk_lua_open_libraries(raw, libraries == .everything)
    }

    deinit { close() }

    /// Ends the interpreter: handles are released, references become nil.
    ///
    /// Later calls do nothing, or throw where they have a result to give.
    public func close() {
        guard isOpen else { return }
        isOpen = false
        stopper.detach()
        mk_lua_close(raw)
        bodies = []
    }

    /// Bytes that the script uses now.
    public var memoryInUse: Int { isOpen ? mk_lua_memory(raw) : 0 }

    /// What ended the script from outside, if anything did.
    public var stop: LuaStop? { isOpen ? LuaStop(rawValue: mk_lua_stop_reason(raw)) : nil }

    /// Forgets a stop, for the next line of a dialogue.
    public func resume() { if isOpen { mk_lua_resume(raw) } }

    /// Makes the tables of an API, each function bound to `context`.
    public func install<Context>(_ api: LuaAPI<Context>, context: Context) {
        guard isOpen else { return }
        for type in api.classes { install(type, context: context) }
        let stack = LuaStack(self, raw)
        for module in api.modules {
            stack.pushTable(fields: module.functions.count + module.constants.count)
            for constant in module.constants {
                stack.setField(constant.name) { constant.push(context, stack) }
            }
            for function in module.functions {
                stack.setField(function.name) { push(function.bound(to: context), stack) }
            }
            place(module.name, stack)
        }
    }

    /// Puts the value on top of the stack into the global table at a dotted name, or drops it where
    /// a part in front of the last is no table.
    private func place(_ name: String, _ stack: LuaStack) {
        let parts = name.split(separator: ".").map(String.init)
        let value = lua_gettop(raw)
        lua_rawgeti(raw, mk_lua_registry, lua_Integer(LUA_RIDX_GLOBALS))
        for part in parts.dropLast() where lua_type(raw, -1) == LUA_TTABLE {
            stack.push(part)
            lua_rawget(raw, -2)
        }
        if lua_type(raw, -1) == LUA_TTABLE, let last = parts.last {
            stack.push(last)
            lua_pushvalue(raw, value)
            lua_rawset(raw, -3)
        }
        lua_settop(raw, value - 1)
    }

    /// Sets a global variable to what `value` pushes.
    ///
    /// - Parameter name: dots lead into tables that are there, as in `mk.answer`; nothing is set where
    ///   one is not.
    public func setGlobal(_ name: String, _ value: some LuaPushable) {
        guard isOpen else { return }
        let stack = LuaStack(self, raw)
        value.push(to: stack)
        place(name, stack)
    }

    /// Sets a global variable to a function of the host.
    func setGlobal(_ name: String, body: LuaBody) {
        let stack = LuaStack(self, raw)
        push(body, stack)
        place(name, stack)
    }

    /// Pushes a function that runs `body`, which the interpreter keeps.
    func push(_ body: LuaBody, _ stack: LuaStack) {
        body.state = Unmanaged.passUnretained(self)
        bodies.append(body)
        mk_lua_push_function(stack.raw, Unmanaged.passUnretained(body).toOpaque())
    }

    /// Compiles and runs text.
    ///
    /// - Parameters:
    ///   - name: how messages call it; a file name begins with `@`, other text with `=`.
    ///   - arguments: what `...` is in it.
    ///   - result: reads the results, the first of which is at the index it is given.
    public func run<Result>(
        _ text: [UInt8], name: String, arguments: [String] = [],
        _ result: (LuaStack, Int32) -> Result
    ) throws(LuaError) -> Result {
        try requireOpen()
        let stack = LuaStack(self, current)
        let base = stack.count
        defer { lua_settop(stack.raw, base) }
        try load(text, name: name, stack)
        guard lua_checkstack(stack.raw, Int32(clamping: arguments.count + 8)) != 0 else {
            throw LuaError(kind: .memory, message: "too many arguments")
        }
        for argument in arguments { stack.push(argument) }
        return try enter(stack, arguments: Int32(arguments.count), base: base, result)
    }

    /// Compiles text and keeps the function.
    public func compile(_ text: [UInt8], name: String) throws(LuaError) -> LuaReference {
        try requireOpen()
        let stack = LuaStack(self, current)
        let base = stack.count
        defer { lua_settop(stack.raw, base) }
        try load(text, name: name, stack)
        return LuaReference(stack, at: -1)
    }

    /// Calls a kept function with what `arguments` pushes; `result` reads what came back.
    public func call<Result>(
        _ function: LuaReference, _ arguments: (LuaStack) -> Int32 = { _ in 0 },
        _ result: (LuaStack, Int32) -> Result
    ) throws(LuaError) -> Result {
        try requireOpen()
        let stack = LuaStack(self, current)
        let base = stack.count
        defer { lua_settop(stack.raw, base) }
        guard lua_checkstack(stack.raw, 40) != 0 else {
            throw LuaError(kind: .memory, message: "stack overflow")
        }
        function.push(to: stack)
        let count = arguments(stack)
        return try enter(stack, arguments: count, base: base, result)
    }

    private func requireOpen() throws(LuaError) {
        guard isOpen else { throw LuaError(kind: .runtime, message: "the interpreter is closed") }
    }

    private func load(_ text: [UInt8], name: String, _ stack: LuaStack) throws(LuaError) {
        guard lua_checkstack(stack.raw, 8) != 0 else {
            throw LuaError(kind: .memory, message: "stack overflow")
        }
        let status = text.withUnsafeBytes { buffer in
            name.withOSPath { name in
                mk_lua_load(
                    stack.raw, buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                    buffer.count, name)
            }
        }
        guard status == LUA_OK else {
            let kind: LuaError.Kind = status == LUA_ERRMEM ? .memory : .syntax
            throw LuaError(kind: kind, message: stack.string(at: -1) ?? "unreadable message")
        }
    }

    private func enter<Result>(
        _ stack: LuaStack, arguments: Int32, base: Int32, _ result: (LuaStack, Int32) -> Result
    ) throws(LuaError) -> Result {
        if let stop { throw LuaError(kind: .stopped(stop), message: "the script was stopped") }
        let isOutermost = mk_lua_deadline(raw) == 0
        startClock()
        let status = mk_lua_call(stack.raw, arguments, LUA_MULTRET)
        if isOutermost { mk_lua_set_deadline(raw, 0) }
        guard status == LUA_OK else { throw failure(status, stack) }
        return result(stack, base + 1)
    }

    private func failure(_ status: Int32, _ stack: LuaStack) -> LuaError {
        var text = stack.string(at: -1) ?? "(the error has no message)"
        var kind: LuaError.Kind = status == LUA_ERRMEM ? .memory : .runtime
        if text.hasPrefix("not enough memory") { kind = .memory }
        if let stop {
            kind = .stopped(stop)
            if let place = mk_lua_stop_text(raw) { text = String(cString: place) }
        }
        let mark = "\nstack traceback:\n"
        let parts = text.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)
        let traceback = parts.count > 1 ? "stack traceback:\n" + parts[1] : ""
        return LuaError(kind: kind, message: String(parts[0]), traceback: traceback)
    }

    private func startClock() {
        guard limits.time > .zero else { return }
        mk_lua_set_deadline(raw, (SystemTimeSource().now + limits.time).nanoseconds)
    }

    /// Runs a wait of the host: its time does not count, and the script has its whole time after it.
    func pausingClock<Result>(_ wait: () -> Result) -> Result {
        let wasRunning = mk_lua_deadline(raw) != 0
        mk_lua_set_deadline(raw, 0)
        defer { if wasRunning { startClock() } }
        return wait()
    }

    /// Runs one host function for the trampoline.
    func run(_ body: LuaBody, on raw: OpaquePointer) -> Int32 {
        let previous = current
        current = raw
        defer { current = previous }
        let stack = LuaStack(self, raw)
        switch body.run(stack) {
        case .results(let count): return count
        case .raise(let message):
            stack.push(message)
            return -1
        }
    }

    func release(reference: Int32) {
        if isOpen { luaL_unref(raw, mk_lua_registry, reference) }
    }
}

@available(*, unavailable)
extension LuaState: Sendable {}
