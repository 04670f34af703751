// Scripts that run away, recurse, grow, or pry at the walls.

import LuaRuntime
import MediaCore
import TestSupport
import Testing

@Suite("Lua limits and sandbox")
struct LimitTests {
    @Test(
        "an endless loop is stopped, whatever catches errors (bad input: endless loop)",
        arguments: [
            "while true do end",
            "while true do pcall(function() while true do end end) end",
            "local function f() pcall(f) f() end while true do pcall(f) end",
            "while true do xpcall(function() while true do end end, function() while true do end end) end",
            "local c = coroutine.wrap(function() while true do pcall(coroutine.yield) end end) "
                + "while true do c() end",
            "while true do pcall(coroutine.wrap(function() while true do end end)) end",
            "while true do local c <close> = setmetatable({}, {__close = function() while true do end end}) end",
            "local m = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) "
                + "while true do pcall(function() return m[1] end) end",
            "string.gsub(('x'):rep(1e6), '.', function() while true do end end)",
            "table.sort({1, 2, 3}, function() while true do end end)",
            "local co = coroutine.create(function() while true do end end) "
                + "while true do coroutine.resume(co) co = coroutine.create(function() while true do end end) end",
            "coroutine.wrap(function() local x <close> = setmetatable({}, {__close = function() "
                + "while true do end end}) while true do end end)()",
            "local co = coroutine.create(function() local x <close> = setmetatable({}, {__close = "
                + "function() while true do end end}) while true do end end) "
                + "coroutine.resume(co) coroutine.close(co) while true do end",
            "while true do load('while true do end')() end",
            "while true do pcall(string.rep, 'x', 1 << 33) end",
            "while true do pcall(error) end",
        ])
    func endlessLoop(_ text: String) {
        let outcome = runLua(text, time: 0.3)
        #expect(outcome.error?.kind == .stopped(.timedOut))
        #expect(outcome.seconds < Sanitizer.patience(60))
    }

    @Test("an endless loop in a callback is stopped, and waits do not count")
    func callbackAndWaits() {
        let outcome = runLua(
            "for i = 1, 4 do t.nap(0.4) end print('rested') "
                + "t.later(function() while true do end end)", time: 1
        ) { (state, sample) throws(LuaError) in
            try state.call(sample.callbacks[0].reference) { _, _ in }
        }
        #expect(outcome.printed == "rested\n")
        #expect(outcome.error?.kind == .stopped(.timedOut))
        #expect(outcome.error?.traceback.contains("script.lua:1:") == true)
    }

    @Test("another thread stops a script")
    func stopFromOutside() {
        let gate = Monitor<LuaStopper?>(nil)
        let other = WorkerThread("mk-stopper") {
            let deadline = SystemTimeSource().now + MediaTime(seconds: Sanitizer.patience(10))
            gate.wait(until: deadline) { $0 }?.stop(.interrupted)
        }
        let outcome = runLua("print('ready')", time: Sanitizer.patience(20)) {
            (state, _) throws(LuaError) in
            gate.withLock { $0 = state.stopper }
            try state.run(Array("while true do pcall(error) end".utf8), name: "=x") { _, _ in }
        }
        other.join()
        #expect(outcome.error?.kind == .stopped(.interrupted))
        #expect(outcome.error?.mediaError.code == .cancelled)
        #expect(outcome.seconds < Sanitizer.patience(60))
    }

    @Test(
        "deep recursion is an error, not a crash (bad input: deep recursion)",
        arguments: [
            "local function f() return 1 + f() end f()",
            "local function f() pcall(f) error('x') end f()",
            "local function f(s) return s:gsub('.', f) end f('x')",
            "local t = setmetatable({}, {}) getmetatable(t).__index = function(a, b) return a[b] end return t.x",
            "local c = function(f) return coroutine.wrap(function() f(f) end)() end c(c)",
            "assert(load('return ' .. ('('):rep(100000)))",
            "assert(load('return ' .. ('{'):rep(100000)))",
            "local t = {} for i = 1, 1e5 do t = setmetatable({}, {__index = t}) end return t.x.y",
            "return ('x'):rep(300000):find(('(x'):rep(1000))",
        ])
    func deepRecursion(_ text: String) {
        let outcome = runLua(text, time: 5)
        #expect(outcome.error != nil)
        #expect(outcome.seconds < Sanitizer.patience(60))
    }

    @Test(
        "memory is capped, and what catches the error goes on (bad input: 4 GiB string)",
        arguments: [
            "return ('x'):rep(4 << 30)",
            "local s = 'x' while true do s = s .. s end",
            "local t = {} for i = 1, math.huge do t[i] = i end",
            "local t = {} for i = 1, math.huge do t[i] = {} end",
            "return table.concat(setmetatable({}, {__len = function() return 1 << 30 end}), 'x')",
            "local t = {} for i = 1, 1e9 do t[i] = coroutine.create(print) end",
            "return string.format('%99.99f', 1):rep(1 << 40)",
        ])
    func memory(_ text: String) {
        let outcome = runLua(text, memory: 16 << 20)
        #expect(outcome.error != nil)
        let caught = runLua(
            "local ok = pcall(function() \(text) end) collectgarbage() print(ok, #('y'):rep(1000))",
            memory: 16 << 20)
        #expect(caught.printed == "false\t1000\n")
    }

    @Test("host functions may push beyond the memory limit without harm")
    func hostPushes() {
        let outcome = runLua(
            """
            local kept = {}
            print(pcall(function() for i = 1, 1000 do kept[i] = t.big(1 << 20) .. i end end))
            kept = nil
            collectgarbage()
            print(#t.big(10))
            """, memory: 8 << 20)
        #expect(outcome.printed.hasPrefix("false\tnot enough memory"))
        #expect(outcome.printed.hasSuffix("10\n"))
    }

    @Test("contained scripts have no files, programs, debug library, C loaders or bytecode")
    func contained() {
        let outcome = runLua(
            """
            print(io, debug, dofile, loadfile, string.dump, os.execute, os.getenv, os.exit, os.remove)
            print(type(os.time()), type(os.clock()), type(os.date()))
            print(load("\\27Lua"))
            print(load("\\27Lua", "x", "b"))
            print(load(function() end, "x", "b", {}) ~= nil)
            print(load("return x", "c", "t", { x = 5 })())
            """)
        #expect(
            outcome.printed.split(separator: "\n").map(String.init) == [
                "nil\tnil\tnil\tnil\tnil\tnil\tnil\tnil\tnil", "number\tnumber\tstring",
                "nil\tattempt to load a binary chunk (mode is 't')",
                "nil\tattempt to load a binary chunk (mode is 't')", "true", "5",
            ])
        let bytecode = runLua("") { (state, _) throws(LuaError) in
            try state.run([0x1B] + Array("Lua".utf8), name: "=b") { _, _ in }
        }
        #expect(bytecode.error?.message.contains("binary chunk") == true)
    }

    @Test("the string metatable is the script's own: tricks with it do not reach the host")
    func stringMetatable() {
        let outcome = runLua(
            """
            local m = getmetatable("")
            m.__index = function() return "?" end
            m.__tostring = error
            m.__name = 5
            string.format = nil
            print(t.echo("x"), t.value({ a = "b" }).a, select(2, pcall(t.seek, "x")))
            """)
        #expect(outcome.error != nil || outcome.printed.contains("number expected, got string"))
    }

    @Test("finalizers are refused where they could not be stopped, and harmless elsewhere")
    func finalizers() {
        #expect(
            runLua("setmetatable({}, {__gc = function() while true do end end})").error?.message
                == "script.lua:1: scripts can't have __gc; use a <close> variable")
        let late = runLua(
            "local m = {} setmetatable({}, m) m.__gc = function() print('ran') end m = nil "
                + "collectgarbage()")
        #expect(late.printed == "")
        let outcome = runLua(
            "setmetatable({}, {__gc = function() error('in gc') end}) collectgarbage() print('on')",
            libraries: .everything)
        #expect(outcome.printed == "on\n")
        #expect(outcome.error == nil)
    }

    @Test("errors in __close are reported")
    func closeErrors() {
        let outcome = runLua(
            "local x <close> = setmetatable({}, {__close = function() error('shut') end})")
        #expect(outcome.error?.message == "script.lua:1: shut")
    }

    @Test("the collector can't be switched off")
    func collector() {
        #expect(runLua("collectgarbage('stop')").error?.message.contains("invalid option") == true)
        #expect(
            runLua("print(collectgarbage('count') > 1, collectgarbage())").printed == "true\t0\n")
    }

    @Test("a closed interpreter runs nothing and crashes nothing")
    func closed() throws {
        let state = try LuaState(output: { _ in true })
        let kept = try state.compile(Array("return 1".utf8), name: "=t")
        state.close()
        #expect(throws: LuaError.self) { try state.compile(Array("x = 1".utf8), name: "=t") }
        #expect(throws: LuaError.self) { try state.call(kept) { _, _ in } }
        #expect(throws: LuaError.self) { try state.run([], name: "=t") { _, _ in } }
        #expect(state.memoryInUse == 0)
        #expect(state.stop == nil)
        state.resume()
        state.close()
    }
}
