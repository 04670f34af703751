// The dialogue: expressions, statements, several lines, failures, callbacks between lines.

import LuaRuntime
import MediaCore
import Plugins
import Scripting
import TestSupport
import Testing

@Suite("Lua dialogue (issue: 4, 'mediakit repl is interactive')")
struct ReplTests {
    /// Feeds lines and gives what became of each, and everything printed.
    private func converse(
        _ lines: [String], pause: MediaTime = .zero
    ) throws -> (results: [ReplResult], printed: String, reported: String, status: Int32) {
        let printed = Monitor("")
        let reported = Monitor("")
        var configuration = ScriptConfiguration()
        configuration.limits.time = .milliseconds(300)
        let repl = Repl(
            registry: try BuiltinPlugins.makeRegistry(), configuration: configuration,
            output: { line in
                printed.withLock { $0 += String(osBytes: line) }
                return true
            }, report: { text in reported.withLock { $0 += text + "\n" } })
        var results: [ReplResult] = []
        for line in lines { results.append(repl.evaluate(line)) }
        if pause > .zero {
            let deadline = SystemTimeSource().now + pause
            _ = Monitor(()).wait(until: deadline) { _ -> Bool? in nil }
        }
        let status = repl.close()
        return (results, printed.withLock { $0 }, reported.withLock { $0 }, status)
    }

    @Test("expressions are printed, statements run, both over several lines")
    func lines() throws {
        let talk = try converse([
            "1 + 1", "x = 5", "x, 'a', nil", "for i = 1, 2 do", "print(i)", "end", "nil", "",
            "mk.chain('volume=1')",
        ])
        #expect(
            talk.results == [
                .done, .done, .done, .needsMore, .needsMore, .done, .done, .done, .done,
            ])
        #expect(talk.printed == "2\n5\ta\tnil\n1\n2\nnil\nvolume=1\n")
        #expect(talk.status == 0)
    }

    @Test("failures are told and the dialogue goes on, also after one that ran away")
    func failures() throws {
        let talk = try converse([
            "x x", "error('no')", "while true do end", "for", "", "'still here'",
        ])
        guard case .failed(let syntax) = talk.results[0],
            case .failed(let runtime) = talk.results[1],
            case .failed(let runaway) = talk.results[2]
        else {
            Issue.record("\(talk.results)")
            return
        }
        #expect(syntax.hasPrefix("repl:1: syntax error"))
        #expect(runtime.hasPrefix("repl:1: no"))
        #expect(runaway.contains("ran too long"))
        #expect(talk.results[3] == .needsMore)
        #expect(talk.printed == "still here\n")
    }

    @Test("timers go on between lines; their failures are told and end nothing")
    func callbacks() throws {
        let talk = try converse(
            [
                "mk.after(0.02, function() print('tick') end):is_enabled()",
                "mk.after(0.01, function() error('oops') end):is_enabled()",
            ], pause: .milliseconds(300))
        #expect(talk.printed == "true\ntrue\ntick\n")
        #expect(talk.reported.contains("repl:1: oops"))
    }

    @Test("quit ends the dialogue with its status")
    func quitting() throws {
        let talk = try converse(["mk.quit(9)", "1"])
        #expect(talk.results == [.ended(9), .ended(9)])
        #expect(talk.status == 9)
    }

    @Test("a line that hangs in Lua's own library ends the dialogue, not the program")
    func stuck() throws {
        let begin = SystemTimeSource().now
        let talk = try converse([
            "string.rep('', 3 << 30)", "'after'",
        ])
        #expect(talk.results == [.ended(2), .ended(2)])
        #expect(talk.status == 2)
        #expect(talk.reported.contains("stuck in a call that can't be stopped"))
        #expect((SystemTimeSource().now - begin).seconds < 10)
    }
}
