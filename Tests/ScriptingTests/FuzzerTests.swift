// Random calls of the whole API end tidily.

import MediaCore
import Plugins
import Scripting
import TestSupport
import Testing

@Suite("Lua API under random calls (issue: ways to break it)")
struct FuzzerTests {
    @Test("random calls end with a status, in time", arguments: 1...40)
    func randomCalls(_ seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let bytes = (0..<400).map { _ in UInt8.random(in: 0...255, using: &random) }
        let begin = SystemTimeSource().now
        let status = ScriptFuzzer.run(bytes, registry: try BuiltinPlugins.makeRegistry())
        #expect([0, 1, 2, 255].contains(status))
        #expect((SystemTimeSource().now - begin).seconds < Sanitizer.patience(60), "seed \(seed)")
    }

    @Test("the same bytes make the same script, and it is Lua")
    func repeatable() throws {
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 * 37) }
        let text = ScriptFuzzer.script(from: bytes)
        #expect(text == ScriptFuzzer.script(from: bytes))
        let outcome = try ScriptBench().run(
            "assert(load([==[\(text)]==]))", permissions: ScriptPermissions())
        #expect(outcome.reported == "")
    }
}
