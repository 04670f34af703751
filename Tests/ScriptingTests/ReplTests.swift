// The dialogue: expressions, statements, several lines, failures, callbacks between lines.

import Glibc
import LuaRuntime
import MediaCore
import Plugins
import Scripting
import TestSupport
import Testing

/// What a dialogue gave: what became of each line, and everything printed.
private struct Talk: Sendable {
    var results: [ReplResult] = []
    var printed = ""
    var reported = ""
    var status: Int32 = -1
}

/// Feeds lines, waits until `word` is printed and `complaint` reported, and closes.
///
/// - Parameters:
///   - limit: how long a line may run, in seconds.
///   - cancellation: ends the dialogue.
private func converse(
    _ lines: [String], limit: Double = Sanitizer.patience(10), awaiting word: String = "",
    complaint: String = "", cancellation: CancellationToken = CancellationToken()
) throws -> Talk {
    let talk = Monitor(Talk())
    var configuration = ScriptConfiguration()
    configuration.limits.time = MediaTime(seconds: limit)
    let repl = Repl(
        registry: try BuiltinPlugins.makeRegistry(), configuration: configuration,
        cancellation: cancellation,
        output: { line in
            talk.withLock { $0.printed += String(osBytes: line) }
            return true
        }, report: { text in talk.withLock { $0.reported += text + "\n" } })
    let results = lines.map { repl.evaluate($0) }
    let deadline = SystemTimeSource().now + MediaTime(seconds: Sanitizer.patience(10))
    _ = talk.wait(until: deadline) { talk -> Bool? in
        let hasWord = word.isEmpty || talk.printed.contains(word)
        return hasWord && (complaint.isEmpty || talk.reported.contains(complaint)) ? true : nil
    }
    let status = repl.close()
    return talk.withLock { talk in
        talk.results = results
        talk.status = status
        return talk
    }
}

@Suite("Lua dialogue (issue: 4, 'mediakit repl is interactive')")
struct ReplTests {
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

    @Test("failures are told and the dialogue goes on")
    func failures() throws {
        let talk = try converse(["x x", "error('no')", "for", "", "'still here'"])
        guard case .failed(let syntax) = talk.results[0],
            case .failed(let runtime) = talk.results[1]
        else {
            Issue.record("\(talk.results)")
            return
        }
        #expect(syntax.hasPrefix("repl:1: syntax error"))
        #expect(runtime.hasPrefix("repl:1: no"))
        #expect(talk.results[2] == .needsMore)
        #expect(talk.printed == "still here\n")
    }

    @Test("the dialogue goes on after a line that ran away")
    func runaway() throws {
        let talk = try converse(["while true do end", "'still here'"], limit: 1)
        guard case .failed(let runaway) = talk.results[0] else {
            Issue.record("\(talk.results)")
            return
        }
        #expect(runaway.contains("ran too long"))
        #expect(talk.printed == "still here\n")
    }

    @Test("timers go on between lines; their failures are told and end nothing")
    func callbacks() throws {
        let talk = try converse(
            [
                "mk.after(0.02, function() print('tick') end):is_enabled()",
                "mk.after(0.01, function() error('oops') end):is_enabled()",
            ], awaiting: "tick", complaint: "oops")
        // The tick comes before the second line where that is slow.
        #expect(talk.printed.split(separator: "\n").sorted() == ["tick", "true", "true"])
        #expect(talk.reported.contains("repl:1: oops"))
    }

    @Test("quit ends the dialogue with its status")
    func quitting() throws {
        let talk = try converse(["mk.quit(9)", "1"])
        #expect(talk.results == [.ended(9), .ended(9)])
        #expect(talk.status == 9)
    }

    @Test("a line that hangs in Lua's own library ends the dialogue, not the program")
    func stuck() async {
        // In a process of its own, since the call goes on and keeps a core busy as long as it lives.
        await #expect(processExitsWith: .success) {
            alarm(UInt32(Sanitizer.patience(60)))
            let talk = try converse(["string.rep('', math.maxinteger)", "'after'"], limit: 0.3)
            #expect(talk.results == [.ended(2), .ended(2)])
            #expect(talk.status == 2)
            #expect(talk.reported.contains("stuck in a call that can't be stopped"))
        }
    }

    @Test("a dialogue that is cancelled before it begins reports nothing")
    func cancelledBefore() throws {
        let token = CancellationToken()
        token.cancel()
        let talk = try converse(["1"], cancellation: token)
        #expect(talk.results == [.ended(130)])
        #expect(talk.status == 130)
        #expect(talk.printed == "")
        #expect(talk.reported == "")
    }

    @Test(
        "the end of input ends the dialogue, whatever was typed last",
        arguments: ["function f()", "x = [[", "mk = nil", "mk.quit = print"])
    func endOfInput(_ line: String) throws {
        let result = try runMediakit(["repl"], input: Array("'a'\n\(line)\n".utf8), seconds: 20)
        #expect(result.status == 0, "\(result)")
        #expect(result.text == "a\n")
        #expect(result.errorText == "")
    }
}
