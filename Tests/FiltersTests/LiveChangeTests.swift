// Options changed while sound runs: no click, no lost sample, in time.

import Filters
import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("Options changed while playing (A8.3, A8.5, A8.8; issue: ways to break it)")
struct LiveChangeTests {
    /// A tone that is not the same left and right, so that every effect has something to do.
    static let tone = Signal(
        [
            Signal.sine(200, level: -20, seconds: 2).planes[0],
            Signal.sine(200, level: -20, seconds: 2, phase: 70).planes[0],
        ], rate: 48_000)

    static let changes: [(String, [String: OptionValue], [String: OptionValue])] = [
        ("audioEnhance", [:], ["enable_surround": .bool(true)]),
        ("audioEnhance", ["enable_surround": .bool(true)], ["enable_surround": .bool(false)]),
        (
            "audioEnhance",
            ["surround_effect_type": .string("headphone"), "enable_surround": .bool(true)],
            ["enable_surround": .bool(false)]
        ),
        ("audioEnhance", [:], ["enable_dialoguenhance": .bool(true)]),
        (
            "audioEnhance", ["enable_dialoguenhance": .bool(true)],
            ["dialoguenhance_voice": .double(10)]
        ),
        (
            "audioEnhance", ["enable_dialoguenhance": .bool(true)],
            ["enable_dialoguenhance": .bool(false)]
        ),
        ("audioEnhance", [:], ["enable_normalizer": .bool(true)]),
        ("audioEnhance", ["enable_normalizer": .bool(true)], ["enable_normalizer": .bool(false)]),
        ("audioEnhance", ["enable_normalizer": .bool(true)], ["target": .double(-8)]),
        ("dialogueEnhance", [:], ["dialoguenhance_voice": .double(10)]),
        ("normalizer", [:], ["target": .double(-23)]),
        ("normalizer", ["target": .double(-5)], ["true_peak": .double(-9)]),
        ("outputChannel", [:], ["channel": .string("right")]),
        ("outputChannel", ["channel": .string("left")], ["channel": .string("none")]),
    ]

    @Test(
        "no click above −60 dBFS, no sample lost, an effect within 100 ms",
        arguments: changes.indices)
    func change(index: Int) throws {
        let (name, values, change) = LiveChangeTests.changes[index]
        let plugin = try #require(AllFilters.plugins.first { $0.info.name == name })
        let tone = LiveChangeTests.tone
        let at = 48_000
        let run = try FilterRun(
            plugin, values, tone, layout: "stereo", lengths: [480], changes: [(at, change)])
        #expect(run.signal.frames == tone.frames)
        #expect(run.isContinuous)
        #expect(run.ignored.isEmpty)
        let without = try FilterRun(plugin, values, tone, layout: "stereo", lengths: [480])
        for (changed, plain) in zip(run.signal.planes, without.signal.planes) {
            // A step of −60 dBFS would leave −44 dB, the tone itself leaves −140 dB.
            #expect(roughness(Array(changed[24_000..<90_000])) < -70)
            #expect(changed[..<(at - run.latency)] == plain[..<(at - run.latency)])
        }
        let differs = zip(run.signal.planes, without.signal.planes).contains { changed, plain in
            changed[..<(at + 4_800)] != plain[..<(at + 4_800)]
        }
        #expect(differs)
    }

    @Test("a click would be seen")
    func judge() {
        var samples = LiveChangeTests.tone.planes[0]
        #expect(roughness(samples) < -120)
        for i in 50_000..<samples.count { samples[i] += 0.001 }
        #expect(roughness(samples) > -60)
    }

    @Test("the surround type is fixed once surround was on: a later change is ignored and said")
    func typeIsFixed() throws {
        let tone = LiveChangeTests.tone
        let on: [String: OptionValue] = ["enable_surround": .bool(true)]
        let run = try FilterRun(
            AudioEnhance(), on, tone, layout: "stereo",
            changes: [
                (20_480, ["surround_effect_type": .string("headphone")]),
                (40_960, ["enable_surround": .bool(false)]),
                (61_440, ["enable_surround": .bool(true)]),
            ])
        #expect(run.ignored.count == 3)
        #expect(run.ignored.allSatisfy { $0.hasPrefix("surround_effect_type: fixed") })
        let plain = try FilterRun(AudioEnhance(), on, tone, layout: "stereo")
        #expect(run.signal.planes[0][..<30_000] == plain.signal.planes[0][..<30_000])
    }

    @Test("before surround was on, its type may change")
    func typeBeforeFirstUse() throws {
        let tone = LiveChangeTests.tone
        let run = try FilterRun(
            AudioEnhance(), [:], tone, layout: "stereo",
            changes: [
                (10_240, ["surround_effect_type": .string("headphone")]),
                (20_480, ["enable_surround": .bool(true)]),
            ])
        #expect(run.ignored.isEmpty)
        let headphone = try FilterRun(
            AudioEnhance(),
            ["surround_effect_type": .string("headphone"), "enable_surround": .bool(true)], tone,
            layout: "stereo")
        let end = 60_000..<61_000
        let difference = zip(run.signal.planes[0][end], headphone.signal.planes[0][end]).map {
            $0 - $1
        }
        #expect(level(difference) < -120)
    }

    @Test("random changes at random moments: same length, finite, aligned")
    func randomChanges() throws {
        var random = SeededRandom(seed: 9)
        let signal = Signal.music(seconds: 2)
        for plugin in AllFilters.plugins {
            var changes: [(Int, [String: OptionValue])] = []
            for _ in 0..<30 {
                let spec = try #require(plugin.options.randomElement(using: &random))
                let value: OptionValue
                switch spec.kind {
                case .bool: value = .bool(Bool.random(using: &random))
                case .int(let range): value = .int(Int.random(in: range, using: &random))
                case .double(let range): value = .double(Double.random(in: range, using: &random))
                case .choice(let words):
                    value = .string(try #require(words.randomElement(using: &random)))
                case .string: continue
                }
                changes.append((Int.random(in: 0..<96_000, using: &random), [spec.name: value]))
            }
            changes.sort { $0.0 < $1.0 }
            let run = try FilterRun(
                plugin, [:], signal, layout: "stereo", lengths: [1, 333, 2_048], changes: changes)
            #expect(run.signal.frames == signal.frames, "\(plugin.info.name)")
            #expect(run.isContinuous)
            #expect(run.signal.peak < 8)
        }
    }
}
