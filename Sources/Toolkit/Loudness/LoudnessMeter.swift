// The loudness of a programme by EBU R 128, on libebur128.

public import MediaCore
public import MediaModel

/// Measures integrated loudness, loudness range, the loudest moments and peaks of a programme.
///
/// - Shape: planar Float32, any channel count up to 64, any rate from 4 kHz; call `add` with any
///   number of frames, then read `measurement`. Memory grows by 8 bytes each 100 ms.
/// - Short programmes: one under 400 ms has no gating block; its integrated loudness is that of
///   its whole length without gating (nothing under −70 LUFS counts even so).
/// - Broken samples (not finite, or above 2^40) count as 0 and are counted; they never stick.
/// - Threading: confined to one thread at a time.
/// - Source: EBU R 128, EBU Tech 3341 and 3342, ITU-R BS.1770-4. The energies are libebur128's;
///   all figures come from them, each 100 ms, as Tech 3342 recommends.
public final class LoudnessMeter {
    /// The energies of each 100 ms so far.
    public private(set) var blocks = BlockEnergies()

    private let steps: ReferenceStepMeter
    // Hears the beginning alone, for programmes without a gating block.
    private let beginning: StepMeter
    private let peaks: TruePeakMeter
    private let measuresTruePeak: Bool

    private static let gatingBlock = 4

    /// Makes a meter.
    ///
    /// - Parameters:
    ///   - sampleRate: in Hz, 4,000…2,822,400.
    ///   - layout: the channels; they weigh as `SpeakerWeight` says.
    ///   - truePeak: whether peaks between samples are measured.
    public init(
        sampleRate: Int, layout: ChannelLayout, truePeak: Bool = true
    ) throws(MediaError) {
        let weights = SpeakerWeight.weights(for: layout)
        steps = try ReferenceStepMeter(sampleRate: sampleRate, weights: weights)
        beginning = try StepMeter(sampleRate: sampleRate, weights: weights)
        measuresTruePeak = truePeak
        peaks = TruePeakMeter(
            sampleRate: sampleRate, channels: weights.count, betweenSamples: truePeak)
    }

    /// Takes `frames` frames, one pointer a channel.
    public func add(_ planes: [UnsafePointer<Float>], frames: Int) {
        peaks.add(planes, frames: frames)
        if blocks.steps.count < LoudnessMeter.gatingBlock {
            beginning.add(planes, frames: frames) { _ in }
        }
        steps.add(planes, frames: frames) { blocks.append($0) }
    }

    /// The figures so far; more may be added afterwards.
    public var measurement: LoudnessMeasurement {
        var integrated = blocks.integrated
        if blocks.steps.count < LoudnessMeter.gatingBlock {
            let ungated = beginning.ungated
            integrated = ungated >= BlockEnergies.absoluteGate ? ungated : -.infinity
        }
        return LoudnessMeasurement(
            integrated: integrated, range: blocks.range,
            momentaryMaximum: blocks.momentaryMaximum, shortTermMaximum: blocks.shortTermMaximum,
            truePeak: measuresTruePeak ? peaks.truePeak : nil, samplePeak: peaks.samplePeak,
            brokenSamples: steps.brokenSamples, frames: steps.frames)
    }
}

@available(*, unavailable) extension LoudnessMeter: Sendable {}
