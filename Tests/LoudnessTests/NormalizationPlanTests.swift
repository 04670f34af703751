// Plans for files: gain, limiter, and honesty about what the ceiling does not allow.

import Loudness
import MediaModel
import TestSupport
import Testing

@Suite("File mode: gain, then limiter only where true peak demands it (issue: quality of sound)")
struct NormalizationPlanTests {
    static func normalise(
        _ signal: Signal, layout: ChannelLayout, to target: LoudnessTarget
    ) throws -> (plan: NormalizationPlan, signal: Signal) {
        let measured = try LoudnessMeterTests.measure(signal, layout)
        var plan = NormalizationPlan(for: measured, target: target)
        func render() -> Signal {
            guard plan.limits else { return signal.amplified(plan.gain) }
            return TruePeakLimiterTests.limit(
                signal, gain: plan.gain, ceiling: target.truePeak
            ).signal
        }
        while plan.needsTrial {
            plan.refine(trial: try LoudnessMeterTests.measure(render(), layout).integrated)
        }
        return (plan, render())
    }

    @Test("loudness within ±0.1 LU, true peak ≤ ceiling + 0.1 dB, FFmpeg judging", arguments: 0..<8)
    func onTarget(index: Int) throws {
        let cases: [(String, Double, () throws -> Signal)] = [
            ("mono", -16, { try .speech(seconds: 8) }),
            ("mono", -14, { try .speech(seconds: 8) }),
            ("stereo", -14, { .music(seconds: 8) }),
            ("stereo", -9, { .music(seconds: 8, rate: 44_100) }),
            ("stereo", -16, { .music(seconds: 6).amplified(-45) }),
            ("stereo", -16, { .music(seconds: 6).amplified(14).clipped() }),
            ("5.1", -23, { .music(seconds: 5, channels: 6) }),
            ("stereo", -16, { .music(seconds: 5, rate: 96_000) }),
        ]
        let (name, loudness, make) = cases[index]
        let result = try NormalizationPlanTests.normalise(
            make(), layout: LoudnessMeterTests.layout(name),
            to: LoudnessTarget(integrated: loudness, truePeak: -1))
        #expect(result.plan.outcome == .onTarget)
        let judge = try LoudnessJudgement(result.signal, layout: name)
        #expect(abs(judge.integrated - loudness) <= 0.1)
        #expect(judge.truePeak <= -0.9)
    }

    @Test("where the ceiling does not allow the target, the plan says how far it stays below")
    func ceilingWins() throws {
        let result = try NormalizationPlanTests.normalise(
            .speech(seconds: 6), layout: .mono, to: LoudnessTarget(integrated: -5, truePeak: -1))
        guard case .belowTarget(let missing) = result.plan.outcome else {
            Issue.record("expected to stay below the target, got \(result.plan.outcome)")
            return
        }
        let judge = try LoudnessJudgement(result.signal, layout: "mono")
        #expect(abs(judge.integrated - (-5 - missing)) <= 0.15)
        #expect(judge.truePeak <= -0.9)
        #expect(result.plan.expectedLoudness == -5 - missing)
    }

    @Test(
        "the loudness range is kept to the letter by a gain, but for what a limiter takes with one")
    func rangeKept() throws {
        let signal = Signal.music(seconds: 8).amplified(-12).followed(by: .music(seconds: 8))
        let before = try LoudnessMeterTests.measure(signal, .stereo).range
        for target in [-20.0, -13] {
            let result = try NormalizationPlanTests.normalise(
                signal, layout: .stereo, to: LoudnessTarget(integrated: target, truePeak: -1))
            let after = try LoudnessMeterTests.measure(result.signal, .stereo).range
            #expect(abs(after - before) <= (result.plan.limits ? 1.5 : 0.001))
        }
    }

    @Test("silence stays silence: no gain")
    func silence() throws {
        let result = try NormalizationPlanTests.normalise(
            .silence(seconds: 1), layout: .stereo, to: LoudnessPreset.streaming.target)
        #expect(result.plan.outcome == .silent)
        #expect(result.plan.gain == 0)
        #expect(!result.plan.needsTrial)
    }

    @Test("presets: ebu-r128, podcast, streaming")
    func presets() {
        let found = LoudnessPreset.allCases.map { "\($0.rawValue) \($0.target.integrated)" }
        #expect(found == ["ebu-r128 -23.0", "podcast -16.0", "streaming -14.0"])
        #expect(LoudnessPreset.allCases.allSatisfy { $0.target.truePeak == -1 })
    }
}
