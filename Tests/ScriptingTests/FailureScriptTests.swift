// How calls fail: what raises, what gives nil, message and code, and what the reference says of it.

import Foundation
import LuaRuntime
import MediaCore
import Testing

@testable import Scripting

@Suite("Lua failures are as the reference says (issue: 4)")
struct FailureScriptTests {
    /// The codes that the reference lists for a function: `mk.probe`, `player:open`.
    private func failures(of name: String) -> [String] {
        let text = ScriptAPI.reference
        guard let start = text.range(of: "### \(name)\n") else { return [] }
        let rest = text[start.upperBound...]
        let entry = rest.range(of: "\n### ").map { rest[..<$0.lowerBound] } ?? rest
        let line = entry.split(separator: "\n").first { $0.hasPrefix("Fails with ") } ?? ""
        return line.split(separator: "`").filter {
            $0.contains { $0.isLetter } && !$0.contains(" ")
        }
        .map(String.init)
    }

    @Test("wait gives what playback failed with, also where that was a wrong option of the player")
    func waitingForAFailure() throws {
        try check(
            """
            local player = mk.player{
              sink = "file", output = "x.wav", container = "foo", clock = "free",
            }
            print(select(2, player:open("synth:sine=duration=1")))
            print(player:wait(5))
            print(pcall(player.wait, player, "soon"))
            """,
            [
                "no container 'foo'\tbad-argument", "nil\tno container 'foo'\tbad-argument",
                "false\tbad argument #1 to 'wait' (number expected, got string)",
            ])
    }

    @Test("jobs, probes and measurements give their failures, whatever their code")
    func jobs() throws {
        try check(
            """
            print(select(3, mk.probe("synth:gone")), select(3, mk.measure("synth:gone")))
            print(select(3, mk.probe_async("synth:gone", function() end):wait(10)))
            print(select(3, mk.player():open("synth:gone")))
            print(select(3, mk.player():open_async("synth:gone"):wait(10)))
            print(mk.plugins.describe("filter", "normaliser"))
            local two = { "synth:sine=duration=1", "synth:sine=duration=2" }
            print(select(3, mk.batch(two, nil, { output = "a.wav" })))
            local full = mk.player{ clock = "free", sink = "wav", output = "/dev/full" }
            full:open("synth:sine=duration=1")
            full:play()
            print(select(3, full:wait(10)))
            """,
            [
                "bad-argument\tbad-argument", "bad-argument", "bad-argument", "bad-argument",
                "nil\tno filter plugin 'normaliser'; did you mean 'normalizer'?\tnot-found",
                "bad-argument", "disk-full",
            ])
    }

    @Test(
        "the reference lists the codes that calls were seen to fail with, each once",
        arguments: [
            ("mk.probe", ["bad-argument", "not-found"]),
            ("mk.measure", ["bad-argument", "no-such-stream", "not-licensed"]),
            (
                "player:open",
                ["bad-argument", "encoder-not-found", "output-failed", "no-such-stream"]
            ),
            ("player:wait", ["bad-argument", "disk-full", "output-failed", "no-such-stream"]),
            ("player:on", ["invalid-state"]), ("player:observe", ["invalid-state"]),
            ("player:hook", ["invalid-state"]), ("mk.plugins.describe", ["not-found"]),
            ("mk.batch", ["bad-argument"]), ("player:seek", ["bad-argument"]),
            ("mk.execute", ["bad-argument"]), ("mk.plugins.unload", ["invalid-state"]),
        ])
    func listed(_ name: String, _ codes: [String]) {
        let listed = failures(of: name)
        #expect(Set(codes).isSubset(of: listed), "\(listed)")
        #expect(Set(listed).count == listed.count, "\(listed)")
    }

    @Test("no function lists a code twice")
    func noneTwice() {
        let functions =
            ScriptAPI.table.modules.flatMap(\.functions)
            + ScriptAPI.table.classes.flatMap(\.methods)
        for function in functions {
            #expect(Set(function.failures).count == function.failures.count, "\(function.name)")
        }
    }

    @Test("a closed player is told as the stub says")
    func closed() throws {
        try check(
            """
            local player = mk.player()
            player:close()
            print(player:on("ended", print))
            print(player:observe("status", print))
            print(player:hook("before_open", print))
            print(mk.player():hook("before_open", print))
            """, Array(repeating: "nil\tthe player is closed\tinvalid-state", count: 3) + ["true"])
        #expect(ScriptAPI.stub.contains("---@return mk.Subscription? subscription"))
    }

    @Test("there is nothing to wait for where nothing was opened")
    func waitingForNothing() throws {
        try check(
            """
            local player = mk.player{ clock = "free" }
            print(select(3, player:wait(1)))
            player:play()
            print(select(3, player:wait(1)))
            for _ = 1, 2 do
              player:open_async("synth:sine=duration=2")
              player:play()
              print(player:wait(10), player:position())
            end
            player:stop()
            print(player:wait(1))
            """, ["invalid-state", "invalid-state", "true\t2.0", "true\t2.0", "true"])
    }

    @Test("what was started and held is paused, however little of it was heard")
    func paused() throws {
        try check(
            """
            local player = mk.player()
            local statuses = {}
            for _ = 1, 30 do
              player:open("synth:sine=duration=5")
              player:play()
              player:pause()
              statuses[player:status()] = true
            end
            for status in pairs(statuses) do print(status) end
            mk.wait(0.05)
            print(player:status())
            """, ["paused", "paused"])
    }

    @Test("a stream that does not play has no decoder")
    func decoders() throws {
        try check(
            """
            local player = mk.player()
            assert(player:open("synth:sine=duration=5"))
            print(player:tracks()[1].decoder.name, player:tracks()[1].selected)
            assert(player:select("audio"))
            print(player:tracks()[1].decoder, player:tracks()[1].selected)
            assert(player:select("audio", 0))
            print(player:tracks()[1].decoder.name, player:tracks()[1].selected)
            """, ["libav\ttrue", "nil\tfalse", "libav\ttrue"])
    }

    @Test(
        "what a batch is told twice is refused",
        arguments: [
            (
                "mk.batch('synth:sine', 'volume=1', { output = 'a.wav', filter = 'alimiter' })",
                "'filter' is given twice"
            ),
            (
                "mk.batch('synth:sine', nil, { output = 'a.wav', inputs = 'synth:sine' })",
                "'inputs' is given twice"
            ),
        ])
    func twice(_ text: String, _ message: String) throws {
        let outcome = try ScriptBench().run(text)
        #expect(outcome.status == 2)
        #expect(outcome.reported.contains(message), "\(outcome.reported)")
    }

    @Test("silence is minus infinity, in every figure of the table")
    func silence() throws {
        try check(
            """
            local silence = assert(mk.measure("synth:anullsrc=duration=1"))
            for _, name in ipairs{ "integrated", "momentary_max", "short_term_max", "true_peak",
              "sample_peak" } do
              print(silence[name] == -math.huge)
            end
            """, Array(repeating: "true", count: 5))
        #expect(ScriptAPI.stub.contains("---@field integrated number "))
    }

    @Test("what may be nil is so in the stub")
    func stub() {
        for name in ["codec", "error", "code"] {
            #expect(ScriptAPI.stub.contains("---@field \(name) string? "))
        }
    }
}
