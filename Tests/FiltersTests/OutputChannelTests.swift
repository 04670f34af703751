// One channel on both sides.

import Filters
import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("Output channel none, left, right (A8.1)")
struct OutputChannelTests {
    @Test(
        "left and right are heard alone, from both sides", arguments: [("left", 0), ("right", 1)])
    func oneChannel(word: String, index: Int) throws {
        let input = Signal.noise(level: -6, seconds: 0.2)
        let run = try FilterRun(
            OutputChannel(), ["channel": .string(word)], input, layout: "stereo")
        #expect(run.signal.planes[0] == input.planes[index])
        #expect(run.signal.planes[1] == input.planes[index])
    }

    @Test("in 5.1 the other channels are silent; mono stays as it is")
    func otherLayouts() throws {
        let input = Signal.noise(level: -6, seconds: 0.2, channels: 6)
        let left: [String: OptionValue] = ["channel": .string("left")]
        let run = try FilterRun(OutputChannel(), left, input, layout: "5.1")
        #expect(run.signal.planes[1] == input.planes[0])
        #expect(run.signal.planes[2...].allSatisfy { $0.allSatisfy { $0 == 0 } })
        let mono = Signal.noise(level: -6, seconds: 0.2, channels: 1)
        #expect(try FilterRun(OutputChannel(), left, mono, layout: "mono").signal.isSame(as: mono))
    }
}
