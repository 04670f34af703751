// The block energies of a programme, and nothing else.

public import MediaCore
public import MediaModel

/// Measures block energies only: integrated loudness as in `LoudnessMeter`, in a third of the time.
///
/// For trial passes and predictions; what is reported comes from `LoudnessMeter`. Both agree within
/// 0.01 LU.
///
/// - Shape: planar Float32, any rate from 4 kHz (the filter curve needs it).
/// - Broken samples (not finite, or above 2^40) count as 0.
/// - Threading: confined to one thread at a time.
public final class EnergyMeter {
    /// The energies of each 100 ms so far.
    public private(set) var blocks = BlockEnergies()

    private let steps: StepMeter

    /// Makes a meter; the channels of `layout` weigh as `SpeakerWeight` says.
    public init(sampleRate: Int, layout: ChannelLayout) throws(MediaError) {
        steps = try StepMeter(
            sampleRate: sampleRate, weights: SpeakerWeight.weights(for: layout))
    }

    /// Takes `frames` frames, one pointer a channel.
    public func add(_ planes: [UnsafePointer<Float>], frames: Int) {
        steps.add(planes, frames: frames) { blocks.append($0) }
    }

    /// Integrated loudness so far in LUFS; ungated under 400 ms; −∞ where nothing is above
    /// −70 LUFS.
    public var integrated: Double {
        if blocks.steps.count >= 4 { return blocks.integrated }
        return steps.ungated >= BlockEnergies.absoluteGate ? steps.ungated : -.infinity
    }
}

@available(*, unavailable) extension EnergyMeter: Sendable {}
