// require, and what is printed from the tables.

import LuaRuntime
import MediaCore
import Testing

@Suite("Lua modules and printed files")
struct ModuleTests {
    private let modules = [
        "/m/a.lua": "local n = ...; print('load', n); return { x = 1 }",
        "/m/sub/init.lua": "return require('sub.deep')",
        "/m/sub/deep.lua": "return 'deep'",
        "/m/bad.lua": "local x = \n",
        "/m/fail.lua": "\nerror('inside')",
        "/m/loop.lua": "local x = require('loop') return x",
        "/secret.lua": "return 'secret'",
    ]

    @Test("modules load once, from the given folders, in nested names")
    func loading() {
        let outcome = runLua(
            """
            print(require("a").x, require("a") == require("a"), require("sub"))
            print(require("string") == string, package.cpath, package.loadlib)
            package.preload.p = function() return 5 end
            print(require("p"))
            """, modules: modules)
        #expect(outcome.error == nil)
        #expect(
            outcome.printed
                == "load\ta\n1\ttrue\tdeep\t/m/sub/init.lua\ntrue\tnil\tnil\n5\t:preload:\n")
    }

    @Test(
        "what can't be loaded says why, at the caller's line",
        arguments: [
            (
                "\nrequire('nosuch')",
                "script.lua:2: module 'nosuch' not found\n\tno file '/m/nosuch.lua'"
            ),
            ("require('bad')", "/m/bad.lua:2: unexpected symbol near <eof>"),
            ("require('fail')", "/m/fail.lua:2: inside"),
            ("require('loop')", "/m/loop.lua:1: module 'loop' requires itself"),
            ("require('../secret')", "script.lua:1: module '../secret' not found"),
            ("require('..secret')", "script.lua:1: module '..secret' not found"),
            ("require('/secret')", "script.lua:1: module '/secret' not found"),
            (
                "require(5)",
                "script.lua:1: bad argument #1 to 'require' (string expected, got number)"
            ),
        ])
    func failing(_ text: String, _ message: String) {
        #expect(runLua(text, modules: modules).error?.message.hasPrefix(message) == true)
    }

    @Test("the stub is printed from the table")
    func stub() {
        let stub = LuaStubPrinter.print(sampleAPI, module: "sample", value: "t")
        #expect(
            stub.contains(
                """
                --- Moves.
                ---@param time number Where to.
                ---@param mode? t.Mode How.
                ---@return true? done True; nil where it failed.
                ---@return string? message Why it failed.
                ---@return mk.ErrorCode? code What kind of failure.
                function t.seek(time, mode) end
                """))
        #expect(stub.contains("---@alias t.Mode\n---| \"keyframe\"\n---| \"exact\"\n"))
        #expect(
            stub.contains("---@class t.Thing\n---@field name string Its name.\nlocal Thing = {}"))
        #expect(stub.contains("function Thing:rename(name) end"))
        #expect(stub.contains("function t.count(...) end"))
        #expect(stub.contains("---@field length? number How long it lasts, in seconds."))
    }

    @Test("the reference is printed from the table")
    func reference() {
        let text = LuaDocPrinter.print(sampleAPI, title: "Sample", introduction: "Words.")
        #expect(text.contains("### t.seek\n\n```lua\ndone = t.seek(time, [mode])\n```"))
        #expect(text.contains("Fails with `nil, message, code`: `not-found`."))
        #expect(text.contains("| mode | `t.Mode?` | How. |"))
        #expect(text.hasSuffix("`\"keyframe\"`, `\"exact\"`\n"))
    }
}
