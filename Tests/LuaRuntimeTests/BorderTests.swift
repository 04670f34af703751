// Calls between Lua and Swift: arguments, results, errors, handles.

import LuaRuntime
import MediaCore
import Testing

@Suite("Lua border")
struct BorderTests {
    private func message(_ text: String) -> String { runLua(text).error?.message ?? "none" }

    @Test("a wrong argument raises with file, line, number and name")
    func wrongArgument() {
        #expect(
            message("local x = 1\nt.seek('a')")
                == "script.lua:2: bad argument #1 to 'seek' (number expected, got string)")
        #expect(
            message("t.seek(1, 'fast')")
                == "script.lua:1: bad argument #2 to 'seek' (one of 'keyframe', 'exact' expected, "
                + "got 'fast')")
        #expect(message("t.seek()").hasSuffix("(number expected, got no value)"))
        #expect(message("t.seek(0/0)").contains("seconds expected, got"))
        #expect(message("t.big(1.5)").contains("whole number expected, got 1.5"))
        #expect(message("t.make('a', {volum = 1})").contains("no field 'volum'; did you mean"))
        #expect(message("t.make('a', {tags = {'x', 2}})").contains("field 'tags': element 2: str"))
        #expect(message("t.seek(-1)") == "script.lua:1: time: below zero")
    }

    @Test("an operation that fails gives nil, message, code; one that works gives true")
    func failingOperation() {
        let outcome = runLua("print(t.seek(1000)) print(t.seek(10, 'exact'))")
        #expect(outcome.printed == "nil\tseek: nothing there\tnot-found\ntrue\n")
        #expect(outcome.error == nil)
    }

    @Test("the dots of a global lead into tables; where one is missing nothing is set")
    func globals() {
        let outcome = runLua("") { state, _ throws(LuaError) in
            for name in ["t.answer", "nowhere.x", "print.x", "t.a.b.c", "", "plain"] {
                state.setGlobal(name, 42)
            }
            let text = "print(t.answer, nowhere, t.a, plain)"
            try state.run(Array(text.utf8), name: "@script.lua") { _, _ in }
        }
        #expect(outcome.error == nil)
        #expect(outcome.printed == "42\tnil\tnil\t42\n")
    }

    @Test("strings of any bytes come back as they went")
    func bytesSurvive() {
        let outcome = runLua(
            """
            local all = {}
            for b = 0, 255 do all[#all + 1] = string.char(b) end
            local s = table.concat(all) .. "\\xF4\\x8F\\xBC\\x80ü✓"
            assert(t.echo(s) == s and #t.echo("") == 0)
            assert(t.value({ s })[1] == s)
            print("same")
            """)
        #expect(outcome.printed == "same\n")
    }

    @Test("values keep their types through Swift")
    func valuesKeepTypes() {
        let outcome = runLua(
            """
            local v = t.value({ 1, 2.0, "x", true, n = { a = {} }, f = print })
            print(math.type(v[1]), math.type(v[2]), v[3], v[4], type(v.n.a), v.f == print)
            print(t.count(), t.count(nil, nil), t.count(1, {}, "x"))
            local f = t.facts()
            print(#f, f[1].title, f[1].length, f[2].length, t.version)
            """)
        #expect(
            outcome.printed
                == "integer\tfloat\tx\ttrue\ttable\ttrue\n0\t2\t3\n2\ta\t1.5\tnil\t1.0\n")
    }

    @Test(
        "values that can't be data are refused",
        arguments: [
            ("local a = {} a.a = a t.value(a)", "contains itself"),
            ("local a = {} for i = 1, 200 do a = { a } end t.value(a)", "levels deep"),
            ("t.value({ [1.5] = 1 })", "neither a name nor in sequence"),
            ("t.value(coroutine.create(print))", "can't be used here"),
        ])
    func refusedValues(_ text: String, _ complaint: String) {
        #expect(message(text).contains(complaint))
    }

    @Test("handles: identity, methods, fields, closing, wrong self")
    func handles() {
        let outcome = runLua(
            """
            local a = t.make("a", { tags = { "b", "c" } })
            print(a, a.name, a:rename("z") == a, a.name, getmetatable(a))
            a.name = "q"
            print(a.name, select(2, pcall(function() return a.nam end)))
            print(select(2, pcall(a.rename, 5, "x")))
            print(select(2, pcall(a.rename, a)))
            print(select(2, pcall(function() a.other = 1 end)))
            print(pcall(setmetatable, a, {}))
            do local c <close> = t.make("c") end
            """)
        #expect(
            outcome.printed.split(separator: "\n").map(String.init) == [
                "thing z\tabc\ttrue\tz\tfalse",
                "q\tscript.lua:4: t.Thing has no 'nam'; did you mean 'name'?",
                "calling 'rename' on a bad self (t.Thing expected, got number); use ':' to call it",
                "bad argument #1 to 'rename' (string expected, got no value)",
                "script.lua:7: t.Thing has no 'other' to set",
                "false\tbad argument #1 to 'setmetatable' (table expected, got t.Thing)",
            ])
        #expect(outcome.released == 2)
    }

    @Test("handles are released when Lua collects them and at the end")
    func handlesAreReleased() {
        let outcome = runLua(
            "for i = 1, 100 do t.make('x') end collectgarbage() kept = t.make('y')"
        ) { (_, sample) throws(LuaError) in
            if sample.released != 100 {
                throw LuaError(kind: .runtime, message: "released \(sample.released)")
            }
        }
        #expect(outcome.error == nil)
        #expect(outcome.released == 101)
    }

    @Test("callbacks run later; an error in one has its file, line and traceback")
    func callbacks() {
        let outcome = runLua(
            "t.later(function(x) print('got', x) end)\nt.later(function()\n  error('no')\nend)"
        ) { (state, sample) throws(LuaError) in
            for callback in sample.callbacks {
                try state.call(
                    callback.reference,
                    {
                        $0.push(7); return 1
                    }
                ) { _, _ in }
            }
        }
        #expect(outcome.printed == "got\t7\n")
        #expect(outcome.error?.message == "script.lua:3: no")
        #expect(
            outcome.error?.traceback.contains("script.lua:3: in function <script.lua:2>") == true)
    }

    @Test("error objects that are not strings become messages")
    func strangeErrors() {
        #expect(message("error({})") == "(the error is a table value)")
        #expect(message("error()") == "(the error is a nil value)")
        #expect(message("error(setmetatable({}, {__tostring = function() return 'T' end}))") == "T")
        #expect(runLua("error(setmetatable({}, {__tostring = error}))").error != nil)
        #expect(
            runLua("error(setmetatable({}, {__tostring = function() return 1 end}))").error != nil)
    }

    @Test("a syntax error names file and line")
    func syntaxError() {
        let error = runLua("local x = 1\nlocal = 2").error
        #expect(error?.kind == .syntax)
        #expect(error?.message.hasPrefix("script.lua:2:") == true)
        #expect(runLua("for i = 1, 2 do").error?.isIncomplete == true)
        #expect(error?.isIncomplete == false)
    }

    @Test("print takes anything, and a broken output ends the script")
    func printing() {
        #expect(
            runLua("print(nil, 1.0, setmetatable({}, {__tostring = function() return 'm' end}))")
                .printed == "nil\t1.0\tm\n")
        let outcome = runLua(
            "pcall(print, 'a') pcall(print, 'b') print('c')", printing: false)
        #expect(outcome.error?.kind == .stopped(.outputFailed))
        #expect(outcome.printed == "a\n")
    }
}
