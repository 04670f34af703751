// The normaliser as a filter: options, presets, modes.

import Filters
import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("Normaliser (A8.7; issue: live mode, file mode, presets, album)")
struct NormalizerFilterTests {
    static func plan(_ plugin: any FilterPlugin, _ values: [String: OptionValue]) throws
        -> FileModePlan?
    {
        let options = try Options(values, specs: plugin.options, owner: plugin.info.name)
        let spec = FilterSpec(.named(plugin.info.name, values))
        return plugin.fileModePlan(spec, options)
    }

    @Test("live: 20 s of quiet speech come within 1.5 LU of the target, under the ceiling")
    func live() throws {
        let speech = try Signal.speech(seconds: 20, rate: 16_000).amplified(-20)
        for plugin in [LoudnessNormalizer(), AudioEnhance()] as [any FilterPlugin] {
            var values: [String: OptionValue] = ["target": .double(-18)]
            if plugin.info.name == "audioEnhance" { values["enable_normalizer"] = .bool(true) }
            let run = try FilterRun(plugin, values, speech, layout: "mono")
            let judge = try LoudnessJudgement(run.signal, layout: "mono")
            #expect(abs(judge.integrated + 18) <= 1.5)
            #expect(judge.truePeak <= -0.9)
        }
    }

    @Test("file mode: target, preset, and target over preset")
    func targets() throws {
        let normalizer = LoudnessNormalizer()
        #expect(
            try NormalizerFilterTests.plan(normalizer, [:])?.target
                == LoudnessTarget(integrated: -16, truePeak: -1))
        #expect(
            try NormalizerFilterTests.plan(normalizer, ["preset": .string("ebu-r128")])?.target
                == LoudnessTarget(integrated: -23, truePeak: -1))
        #expect(
            try NormalizerFilterTests.plan(
                normalizer,
                ["preset": .string("streaming"), "true_peak": .double(-2), "album": .bool(true)]
            )?.target == LoudnessTarget(integrated: -14, truePeak: -2, isAlbum: true))
        #expect(try NormalizerFilterTests.plan(normalizer, ["mode": .string("live")]) == nil)
    }

    @Test("mode file is refused where there is no whole file")
    func fileModeLive() throws {
        let plugin = LoudnessNormalizer()
        let options = try Options(
            ["mode": .string("file")], specs: plugin.options, owner: "normalizer")
        #expect(throws: MediaError.self) { try plugin.makeFilter(options) }
    }

    @Test("audioEnhance in a batch: the other parts run before the measurement")
    func audioEnhancePlan() throws {
        let enhance = AudioEnhance()
        #expect(try NormalizerFilterTests.plan(enhance, ["enable_surround": .bool(true)]) == nil)
        let both = try #require(
            try NormalizerFilterTests.plan(
                enhance,
                [
                    "enable_surround": .bool(true), "enable_normalizer": .bool(true),
                    "target": .double(-20),
                ]))
        #expect(both.before.map(\.description) == ["audioEnhance=enable_surround=1"])
        #expect(both.target.integrated == -20)
        let alone = try NormalizerFilterTests.plan(enhance, ["enable_normalizer": .bool(true)])
        #expect(alone?.before.isEmpty == true)
    }

    @Test("targets out of range are refused", arguments: [-24.0, -4])
    func range(target: Double) {
        #expect(throws: MediaError.self) {
            try Options(
                ["target": .double(target)], specs: LoudnessNormalizer().options, owner: "n")
        }
    }
}
