// Scripts that play once more.

import TestSupport
import Testing

@Suite("Lua players that play again")
struct PlayAgainTests {
    @Test("waiting behind a play after the end of a file that is written ends at once")
    func written() throws {
        let outcome = try ScriptBench().run(
            """
            local player = mk.player{ clock = "free", sink = "wav", output = "a.wav" }
            player:open("synth:sine=duration=0.1")
            player:play()
            assert(player:wait(10))
            for _ = 1, 50 do
              player:play()
              assert(player:wait())
            end
            mk.run()
            print("done")
            """)
        #expect(outcome.reported == "")
        #expect(outcome.lines == ["done"])
    }
}
