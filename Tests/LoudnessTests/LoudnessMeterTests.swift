// The meter against EBU reference tones and FFmpeg.

import Loudness
import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("Loudness meter: measure by EBU R 128 (issue: normaliser, measure)")
struct LoudnessMeterTests {
    /// The levels in dBFS and seconds of a test signal, and the integrated loudness it must show.
    static let tech3341: [(name: String, parts: [(Double, Double)], loudness: Double)] = [
        ("case 1", [(-23, 20)], -23),
        ("case 2", [(-33, 20)], -33),
        ("case 3", [(-36, 10), (-23, 60), (-36, 10)], -23),
        ("case 4", [(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)], -23),
        ("case 5", [(-26, 20), (-20, 20.1), (-26, 20)], -23),
    ]

    static func measure(_ signal: Signal, _ layout: ChannelLayout) throws -> LoudnessMeasurement {
        let meter = try LoudnessMeter(sampleRate: signal.rate, layout: layout)
        signal.withPointers { meter.add($0, frames: signal.frames) }
        return meter.measurement
    }

    static func layout(_ name: String) throws -> ChannelLayout {
        try #require(ChannelLayout(named: name))
    }

    @Test("EBU Tech 3341 tones, 1 kHz stereo, within 0.1 LU", arguments: 0..<5)
    func referenceTones(index: Int) throws {
        let test = LoudnessMeterTests.tech3341[index]
        let meter = try LoudnessMeter(sampleRate: 48_000, layout: .stereo, truePeak: false)
        for (level, seconds) in test.parts {
            let part = Signal.sine(1000, level: level, seconds: seconds, channels: 1)
            part.withPointers { meter.add([$0[0], $0[0]], frames: part.frames) }
        }
        #expect(abs(meter.measurement.integrated - test.loudness) <= 0.1)
    }

    @Test(
        "EBU Tech 3342 tones: loudness range within 1 LU", arguments: [(-20.0, -30.0), (-20, -15)])
    func referenceRange(first: Double, second: Double) throws {
        let tone = Signal.sine(1000, level: first, seconds: 20)
            .followed(by: .sine(1000, level: second, seconds: 20))
        let found = try LoudnessMeterTests.measure(tone, .stereo)
        #expect(abs(found.range - abs(first - second)) <= 1)
    }

    @Test("5.1: surrounds weigh 1.41, the low-frequency channel nothing (Tech 3341 case 6)")
    func surroundWeights() throws {
        let levels = [-28.0, -28, -24, -4, -30, -30]
        let planes = levels.map {
            Signal.sine(1000, level: $0, seconds: 5, channels: 1).planes[0]
        }
        let signal = Signal(planes, rate: 48_000)
        for name in ["5.1", "5.1(side)"] {
            let found = try LoudnessMeterTests.measure(signal, LoudnessMeterTests.layout(name))
            #expect(abs(found.integrated + 23) <= 0.1, "\(name)")
        }
    }

    @Test("agrees with FFmpeg's ebur128=peak=true within 0.1 LU and 0.15 dB", arguments: 0..<8)
    func agreesWithFFmpeg(index: Int) throws {
        let cases: [(String, () throws -> Signal)] = [
            ("stereo", { .noise(level: -6, seconds: 4) }),
            ("stereo", { .noise(level: -6, seconds: 4, rate: 44_100) }),
            ("stereo", { .noise(level: -6, seconds: 4, rate: 96_000) }),
            ("stereo", { .sine(12_000, level: -6, seconds: 4, phase: 45) }),
            ("mono", { try .speech(seconds: 6) }),
            ("5.1", { .music(seconds: 4, channels: 6) }),
            ("stereo", { .music(seconds: 4).amplified(12).clipped() }),
            ("mono", { .noise(level: -3, seconds: 4, channels: 1, rate: 8_000) }),
        ]
        let (name, make) = cases[index]
        let signal = try make()
        let judge = try LoudnessJudgement(signal, layout: name)
        let found = try LoudnessMeterTests.measure(signal, LoudnessMeterTests.layout(name))
        #expect(abs(found.integrated - judge.integrated) <= 0.1)
        #expect(abs(try #require(found.truePeak) - judge.truePeak) <= 0.15)
    }

    @Test("the result does not depend on how the signal is cut")
    func cuts() throws {
        let signal = Signal.music(seconds: 2, rate: 44_100)
        let whole = try LoudnessMeterTests.measure(signal, .stereo)
        let meter = try LoudnessMeter(sampleRate: 44_100, layout: .stereo)
        var random = SeededRandom(seed: 3)
        var done = 0
        while done < signal.frames {
            let count = min(Int.random(in: 1...3000, using: &random), signal.frames - done)
            signal.withPointers { meter.add($0.map { $0 + done }, frames: count) }
            done += count
        }
        #expect(meter.measurement == whole)
    }

    @Test("silence is −∞, and so is everything under −70 LUFS")
    func silence() throws {
        for signal in [Signal.silence(seconds: 2), .sine(1000, level: -75, seconds: 2)] {
            let found = try LoudnessMeterTests.measure(signal, .stereo)
            #expect(found.isSilent)
        }
        let none = try LoudnessMeterTests.measure(.silence(seconds: 1), .stereo)
        #expect(none.truePeak == -.infinity)
        #expect(none.samplePeak == -.infinity)
    }

    @Test("under 400 ms the whole length counts, ungated", arguments: [0.05, 0.2, 0.399])
    func short(seconds: Double) throws {
        let tone = Signal.sine(1000, level: -20, seconds: seconds)
        let found = try LoudnessMeterTests.measure(tone, .stereo)
        #expect(abs(found.integrated + 20) <= 0.7)
    }

    @Test("broken samples count as 0 and never stick (bad input: NaN samples)")
    func brokenSamples() throws {
        var signal = Signal.sine(1000, level: -23, seconds: 3)
        for (i, value) in [Float.nan, .infinity, -.infinity, 1e30].enumerated() {
            signal.planes[0][30_000 + i * 7] = value
        }
        let found = try LoudnessMeterTests.measure(signal, .stereo)
        #expect(found.brokenSamples == 4)
        #expect(abs(found.integrated + 23) <= 0.1)
        #expect(try #require(found.truePeak) < -20)
    }

    @Test("album: a group is measured as one programme")
    func album() throws {
        let parts = [
            Signal.sine(1000, level: -20, seconds: 5), .sine(1000, level: -30, seconds: 5),
        ]
        let measured = try parts.map { part in
            let meter = try LoudnessMeter(sampleRate: part.rate, layout: .stereo)
            part.withPointers { meter.add($0, frames: part.frames) }
            return (measurement: meter.measurement, blocks: meter.blocks)
        }
        let group = LoudnessMeasurement.group(measured)
        let whole = try LoudnessMeterTests.measure(parts[0].followed(by: parts[1]), .stereo)
        #expect(abs(group.integrated - whole.integrated) <= 0.1)
        #expect(group.truePeak == measured[0].measurement.truePeak)
        #expect(group.frames == whole.frames)
    }

    @Test("its own K-weighting and gating agree with libebur128's", arguments: 0..<6)
    func ownEnergies(index: Int) throws {
        let speech = try Signal.speech(seconds: 6).followed(by: .silence(seconds: 2, channels: 1))
        let cases: [(String, Signal)] = [
            ("mono", speech),
            ("stereo", .noise(level: -6, seconds: 2, rate: 44_100)),
            ("stereo", .sine(60, level: -20, seconds: 2, rate: 96_000)),
            ("5.1", .music(seconds: 2, channels: 6)),
            ("7.1", .noise(level: -20, seconds: 1, channels: 8, rate: 192_000)),
            ("3.0", .noise(level: -20, seconds: 2, channels: 3, rate: 8_000)),
        ]
        let (name, signal) = cases[index]
        let layout = try LoudnessMeterTests.layout(name)
        let found = try LoudnessMeterTests.measure(signal, layout)
        let meter = try EnergyMeter(sampleRate: signal.rate, layout: layout)
        signal.withPointers { meter.add($0, frames: signal.frames) }
        #expect(abs(meter.integrated - found.integrated) <= 0.001)
    }

    @Test("a rate libebur128 can't take is an error")
    func badRate() {
        #expect(throws: MediaError.self) { try LoudnessMeter(sampleRate: 2_000, layout: .stereo) }
    }
}
