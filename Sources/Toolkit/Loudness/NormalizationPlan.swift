// The gain that brings a measured programme to a target, and whether its peaks must be limited.

internal import Glibc
public import MediaModel

/// One constant gain for a programme or an album, with a limiter only where true peak demands it.
///
/// A gain alone keeps the loudness range to the letter. Where the amplified peak would pass the
/// ceiling, a `TruePeakLimiter` takes it down, which costs some loudness; `refine` corrects the
/// gain from trial passes until the limited result is on target. Loudness that the limiter would
/// have to pay for with more than `maximumLoss` is not bought: the plan stops there and says so
/// (`outcome`), it never turns into a compressor.
///
/// ```swift
/// var plan = NormalizationPlan(for: measurement, target: target)
/// while plan.needsTrial {
///     plan.refine(trial: /* measure the programme through gain and limiter */)
/// }
/// ```
public struct NormalizationPlan: Sendable {
    /// What the plan achieves.
    public enum Outcome: Hashable, Sendable {
        /// The target.
        case onTarget
        /// Less than the target by so many LU: the ceiling does not allow more.
        case belowTarget(by: Double)
        /// The programme is silent and stays so.
        case silent
    }

    /// The most loudness the limiter may take, in LU.
    public static let maximumLoss = 6.0
    /// How near to the target a trial must come, in LU.
    static let tolerance = 0.04
    /// A correction that needs no further trial, in LU.
    static let sureStep = 0.12
    /// Trials at most.
    static let maximumTrials = 8

    /// The gain to apply in dB; 0 for silence.
    public private(set) var gain: Double
    /// Whether a limiter must follow the gain.
    public private(set) var limits: Bool
    /// Whether the gain rests on a guess that a trial pass should check.
    public private(set) var needsTrial: Bool
    /// What the plan achieves as far as is known.
    public private(set) var outcome: Outcome
    /// The integrated loudness to expect, in LUFS.
    public private(set) var expectedLoudness: Double
    /// The target.
    public let target: LoudnessTarget
    /// What was measured.
    public let measurement: LoudnessMeasurement

    private var trials = 0
    // The largest gain known to cost an allowed loss, and the smallest known to cost too much.
    private var allowed: (gain: Double, loudness: Double)
    private var refused: (gain: Double, loss: Double)?

    /// Makes the plan for what was measured (for an album: the group).
    ///
    /// Without a true peak in the measurement, the sample peak is taken.
    public init(for measurement: LoudnessMeasurement, target: LoudnessTarget) {
        self.measurement = measurement
        self.target = target
        let peak = measurement.truePeak ?? measurement.samplePeak
        guard !measurement.isSilent, peak > -.infinity else {
            (gain, limits, needsTrial, outcome) = (0, false, false, .silent)
            expectedLoudness = measurement.integrated
            allowed = (0, measurement.integrated)
            return
        }
        gain = target.integrated - measurement.integrated
        limits = peak + gain > target.truePeak
        needsTrial = limits
        outcome = .onTarget
        expectedLoudness = target.integrated
        allowed = (target.truePeak - peak, measurement.integrated + target.truePeak - peak)
    }

    /// Corrects the gain from the loudness of the programme after gain and limiter.
    ///
    /// - Parameter loudness: integrated, in LUFS; for an album, of the group.
    public mutating func refine(trial loudness: Double) {
        guard needsTrial else { return }
        trials += 1
        let loss = measurement.integrated + gain - loudness
        let missing = target.integrated - loudness
        expectedLoudness = loudness
        if loss <= NormalizationPlan.maximumLoss {
            let last = allowed
            if gain > allowed.gain { allowed = (gain, loudness) }
            if abs(missing) <= NormalizationPlan.tolerance {
                finish(.onTarget)
            } else if abs(missing) <= NormalizationPlan.sureStep, refused == nil {
                // So small a step comes out nearly whole: what it loses is within the tolerance.
                gain += missing
                expectedLoudness = target.integrated
                finish(.onTarget)
            } else if trials == NormalizationPlan.maximumTrials
                || (refused != nil && loss > NormalizationPlan.maximumLoss - 0.25)
            {
                finish(.belowTarget(by: missing))
            } else {
                aim(missing: missing, from: loudness, last: last)
            }
        } else {
            refused = (gain, loss)
            guard trials < NormalizationPlan.maximumTrials else {
                gain = allowed.gain
                expectedLoudness = allowed.loudness
                finish(.belowTarget(by: target.integrated - allowed.loudness))
                return
            }
            let cost = measurement.integrated + allowed.gain - allowed.loudness
            let part = (NormalizationPlan.maximumLoss - 0.1 - cost) / max(loss - cost, 0.01)
            gain = allowed.gain + (gain - allowed.gain) * min(max(part, 0.05), 0.95)
        }
    }

    private mutating func aim(
        missing: Double, from loudness: Double, last: (gain: Double, loudness: Double)
    ) {
        // Loudness grows more slowly than gain, the more so the more is limited.
        let slope = gain == last.gain ? 1 : (loudness - last.loudness) / (gain - last.gain)
        let step = missing / min(max(slope, 0.25), 1)
        var next = gain + step
        if let refused, next >= refused.gain { next = (gain + refused.gain) / 2 }
        gain = next
    }

    private mutating func finish(_ outcome: Outcome) {
        self.outcome = outcome
        needsTrial = false
    }
}
