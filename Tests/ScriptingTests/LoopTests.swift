// Timers, waiting, ending, and what happens to failures.

import MediaCore
import Scripting
import TestSupport
import Testing

@Suite("Lua event loop and endings (issue: 4)")
struct LoopTests {
    @Test("timers fire in order, stop, resume, change and end")
    func timers() throws {
        let outcome = try ScriptBench().run(
            """
            mk.after(0.06, function() print("c") end)
            mk.after(0.02, function() print("a") end)
            mk.after(0.04, function() print("b") end)
            local held = mk.after(0.01, function() print("never") end)
            held:stop()
            local count = 0
            local timer
            timer = mk.every(0.005, function()
              count = count + 1
              if count == 2 then timer.period = 0.001 end
              if count == 4 then timer:kill() end
            end)
            mk.run()
            print(count, timer:is_enabled(), held)
            held:resume()
            mk.after(0.03, function() mk.quit(7) end)
            mk.run()
            print("not reached")
            """)
        #expect(outcome.reported == "")
        #expect(
            outcome.lines == ["a", "b", "c", "4\tfalse\ttimer (0.01 s, stopped)", "never"])
        #expect(outcome.status == 7)
    }

    @Test("callbacks run inside waits, also inside those of callbacks, and in order")
    func nesting() throws {
        let outcome = try ScriptBench().run(
            """
            mk.after(0.01, function()
              print("outer begins")
              mk.after(0.01, function() print("inner") end)
              mk.wait(0.05)
              print("outer ends")
            end)
            mk.wait(0.03)
            print("main")
            """)
        #expect(outcome.lines == ["outer begins", "inner", "outer ends", "main"])
    }

    @Test("a coroutine may wait and a callback may not yield")
    func coroutines() throws {
        let outcome = try ScriptBench().run(
            """
            mk.after(0.01, function() print(pcall(coroutine.yield)) end)
            local co = coroutine.wrap(function() mk.wait(0.05) coroutine.yield("y") end)
            print(co())
            """)
        #expect(
            outcome.lines == ["false\tattempt to yield from outside a coroutine", "y"]
                || outcome.lines == ["false\tattempt to yield across a C-call boundary", "y"])
    }

    @Test(
        "failures end the script with status 2, file, line and traceback",
        arguments: [
            ("x = = 1", "script.lua:1: unexpected symbol near '='", false),
            ("\\nlocal t = nil\\nprint(t.x)", "script.lua:3: attempt to index a nil value", true),
            (
                "mk.after(0, function()\\n error('late')\\nend)\\nmk.run()", "script.lua:2: late",
                true
            ),
            (
                "mk.after(0, function()\\n error('x')\\nend)\\npcall(mk.run)\\nprint('no')",
                "script.lua:2: x", true
            ),
            ("error({})", "(the error is a table value)", true),
            ("mk.log.nosuch('x')", "script.lua:1: attempt to call a nil value", true),
            ("assert(mk.probe('nowhere.wav'))", "script.lua:1: open ", true),
            ("mk.quit(256)", "script.lua:1: quit: an exit status is 0 to 255", true),
        ])
    func failures(_ text: String, _ message: String, _ hasTraceback: Bool) throws {
        let outcome = try ScriptBench().run(text.replacing("\\n", with: "\n"))
        #expect(outcome.status == 2)
        #expect(outcome.reported.hasPrefix(message), "\(outcome.reported)")
        #expect(outcome.reported.contains("stack traceback:") == hasTraceback)
        #expect(outcome.printed == "")
    }

    @Test(
        "a runaway script is stopped, in callbacks too; waiting does not count",
        arguments: [
            "while true do end", "mk.after(0, function() while true do end end) mk.run()",
            "mk.after(0, function() while true do pcall(error) end end) while true do mk.wait(1) end",
            "for i = 1, 4 do mk.wait(0.4) end print('rested') while true do end",
        ])
    func runaway(_ text: String) throws {
        let outcome = try ScriptBench().run(text, timeout: 1)
        #expect(outcome.status == 2)
        #expect(outcome.reported.contains("the script ran too long without a pause"))
        #expect(outcome.reported.contains("script.lua:1:"))
        #expect(outcome.printed == (text.contains("rested") ? "rested\n" : ""))
        #expect(outcome.seconds < Sanitizer.patience(60))
    }

    @Test("a byte order mark before the script is no part of it")
    func byteOrderMark() throws {
        let outcome = try ScriptBench().run("\u{FEFF}print('read')")
        #expect(outcome.lines == ["read"])
    }

    @Test("nothing of the host runs behind a stop, in whichever coroutine it came")
    func quitInCoroutine() throws {
        let bench = try ScriptBench()
        let outcome = bench.run(
            """
            print("before")
            coroutine.resume(coroutine.create(function() mk.quit(3) end))
            print("after")
            mk.write_file("after.txt", "x")
            """)
        #expect(outcome.status == 3)
        #expect(outcome.lines == ["before"])
        #expect(try !bench.folder.names().contains("after.txt"))
    }

    // In processes of their own, since the call goes on and keeps a core busy as long as they live.
    @Test("a call that can't be stopped is given up when the user wants an end")
    func stuckAndCancelled() async {
        await #expect(processExitsWith: .success) {
            // Cancelled by the bench, long after the call was entered.
            let outcome = try ScriptBench().run(
                "print('go') string.rep('', math.maxinteger)", timeout: 0, patience: 1)
            #expect(outcome.status == 130)
            #expect(outcome.printed == "go\n")
            #expect(outcome.reported.contains("stuck in a call that can't be stopped"))
        }
    }

    @Test("a call that can't be stopped is given up")
    func stuck() async {
        await #expect(processExitsWith: .success) {
            let outcome = try ScriptBench().run(
                "string.rep('', math.maxinteger)", timeout: 0.2)
            #expect(outcome.status == 2)
            #expect(outcome.reported.contains("stuck in a call that can't be stopped"))
        }
    }

    @Test("memory is capped (bad input: 4 GiB string)")
    func memory() throws {
        let outcome = try ScriptBench().run("local s = ('x'):rep(4 << 30)")
        #expect(outcome.status == 2)
        #expect(outcome.reported.contains("resulting string too large"))
    }

    @Test(
        "cancelling ends every kind of waiting with status 130 (Ctrl-C)",
        arguments: [
            "print('go') while true do end", "print('go') mk.wait(100)",
            "mk.every(1, print) print('go') mk.run()",
            "local p = mk.player() p:open('synth:sine') p:play() print('go') p:wait()",
            "print('go') mk.measure('synth:sine')",
            "print('go') mk.batch('synth:sine', nil, { output = 'o.wav' })",
            "print('go') mk.execute('sleep', { '100' })",
            "print('go') pcall(mk.wait, 100) pcall(mk.wait, 100) while true do end",
            "local p = mk.player() p:hook('before_open', function(h) h:defer() print('go') end) "
                + "p:open('synth:sine')",
        ])
    func cancelling(_ text: String) throws {
        let bench = try ScriptBench()
        let outcome = bench.run(text, cancelWhenPrinted: "go")
        #expect(outcome.status == 130)
        #expect(outcome.reported == "")
        #expect(outcome.seconds < Sanitizer.patience(60))
        let left = try bench.folder.names().filter { !$0.hasSuffix(".jsonl") }
        #expect(left == [], "temporary outputs are removed")
    }

    @Test("a script that is cancelled before it begins runs nothing and reports nothing")
    func cancelledBefore() throws {
        for isUnsafe in [false, true] {
            let token = CancellationToken()
            token.cancel()
            var permissions = ScriptBench.grants
            permissions.isUnsafe = isUnsafe
            let outcome = try ScriptBench().run(
                "print('ran')", permissions: permissions, cancellation: token)
            #expect(outcome.status == 130)
            #expect(outcome.reported == "")
            #expect(outcome.printed == "")
        }
    }

    @Test("what has come is heard by waits of no length too")
    func polling() throws {
        try check(
            """
            local function poll(isDone)
              local last = mk.now() + 30
              while not isDone() and mk.now() < last do end
              return isDone()
            end
            local called
            local job = mk.probe_async("synth:sine=duration=1", function() called = true end)
            print(poll(function() return (select(3, job:wait(0))) ~= "timed-out" end))
            print(called, job:is_done())
            called = false
            mk.probe_async("synth:sine=duration=1", function() called = true end)
            print(poll(function() mk.wait(0) return called end))
            """, ["true", "true\ttrue", "true"])
    }

    @Test("the script ends with its last line; what it began ends with it")
    func ending() throws {
        let bench = try ScriptBench()
        let outcome = bench.run(
            """
            local player = mk.player{ sink = "wav", output = "part.wav" }
            player:open("synth:sine=duration=100")
            player:play()
            mk.every(0.01, function() end)
            mk.measure_async("synth:sine", nil, function() end)
            print("end")
            """)
        #expect(outcome.status == 0)
        #expect(outcome.printed == "end\n")
        #expect(outcome.seconds < Sanitizer.patience(20))
        #expect(try bench.folder.names() == [], "an output that is not complete is dropped")
    }
}
