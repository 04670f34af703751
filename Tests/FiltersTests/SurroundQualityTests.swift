// Surround effects: width, mono sum, loudness.

import Filters
import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("Surround (A8.4, A8.5; issue: quality of sound)")
struct SurroundQualityTests {
    /// Stereo of many kinds: from near mono to two independent channels.
    static func signal(_ index: Int) throws -> Signal {
        let noise = Signal.noise(level: -14, seconds: 4)
        let music = Signal.music(seconds: 4)
        let middle = Signal([music.planes[0], music.planes[0]], rate: 48_000)
        switch index {
        case 0: return noise
        case 1: return music
        case 2: return middle.mixed(with: noise.amplified(-10))
        case 3: return middle.mixed(with: noise.amplified(-30))
        case 4: return try Signal.speech(seconds: 4, channels: 2).mixed(with: noise.amplified(-6))
        case 5: return Signal([music.planes[0].map { $0 * 0.5 }, noise.planes[1]], rate: 48_000)
        default: return .music(seconds: 4, rate: 44_100)
        }
    }

    @Test(
        "3DSurround: side over middle up by 3 dB, mono sum ±1.5 dB, loudness ±1 LU",
        arguments: 0..<7)
    func surround(index: Int) throws {
        let input = try SurroundQualityTests.signal(index)
        let run = try FilterRun(Surround(), [:], input, layout: "stereo")
        let width = level(run.signal.side) - level(run.signal.middle)
        #expect(width - (level(input.side) - level(input.middle)) >= 3)
        #expect(abs(level(run.signal.middle) - level(input.middle)) <= 1.5)
        let before = try LoudnessJudgement(input, layout: "stereo")
        let after = try LoudnessJudgement(run.signal, layout: "stereo")
        #expect(abs(after.integrated - before.integrated) <= 1)
        let mono = { (signal: Signal) in Signal([signal.middle], rate: signal.rate) }
        let monoBefore = try LoudnessJudgement(mono(input), layout: "mono")
        let monoAfter = try LoudnessJudgement(mono(run.signal), layout: "mono")
        #expect(abs(monoAfter.integrated - monoBefore.integrated) <= 1.5)
    }

    @Test("wide: wider without anything added, loudness ±1 LU", arguments: [0, 1, 2])
    func wide(index: Int) throws {
        let input = try SurroundQualityTests.signal(index)
        let run = try FilterRun(
            Surround(), ["surround_effect_type": .string("wide")], input, layout: "stereo")
        let width = level(run.signal.side) - level(run.signal.middle)
        #expect(width - (level(input.side) - level(input.middle)) >= 3)
        let before = try LoudnessJudgement(input, layout: "stereo")
        let after = try LoudnessJudgement(run.signal, layout: "stereo")
        #expect(abs(after.integrated - before.integrated) <= 1)
    }

    @Test("headphone: bass of one side reaches the other ear, the middle keeps its level")
    func headphone() throws {
        let bass = Signal.sine(150, level: -12, seconds: 1).planes[0]
        let left = Signal([bass, bass.map { _ in 0 }], rate: 48_000)
        let values: [String: OptionValue] = ["surround_effect_type": .string("headphone")]
        let run = try FilterRun(Surround(), values, left, layout: "stereo")
        let across = level(run.signal.planes[1]) - level(run.signal.planes[0])
        #expect(across > -9 && across < -3)
        let middle = Signal([bass, bass], rate: 48_000)
        let same = try FilterRun(Surround(), values, middle, layout: "stereo")
        #expect(abs(level(same.signal.planes[0]) - level(bass)) < 0.5)
    }

    @Test("mono stays as it is; centre and bass channel of 5.1 and 7.1 too")
    func otherChannels() throws {
        let mono = Signal.music(seconds: 0.5, channels: 1)
        #expect(try FilterRun(Surround(), [:], mono, layout: "mono").signal.isSame(as: mono))
        for (layout, pairs) in [("5.1", [0, 4]), ("7.1", [0, 4, 6])] {
            let count = try #require(ChannelLayout(named: layout)).channelCount
            let input = Signal.noise(level: -14, seconds: 2, channels: count)
            let run = try FilterRun(Surround(), [:], input, layout: layout)
            #expect(run.signal.planes[2] == input.planes[2])
            #expect(run.signal.planes[3] == input.planes[3])
            for left in pairs {
                let before = Signal([input.planes[left], input.planes[left + 1]], rate: 48_000)
                let out = run.signal.planes
                let after = Signal([out[left], out[left + 1]], rate: 48_000)
                let width = level(after.side) - level(after.middle)
                #expect(width - (level(before.side) - level(before.middle)) >= 3)
            }
        }
    }
}
