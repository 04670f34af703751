// Whether decoded sound is what was meant, sample by sample.

internal import Loudness
internal import MediaCore
internal import MediaModel

/// Compares frames with a programme in memory behind a gain.
///
/// Where an output holds the very samples that were meant (lossless encoders do, but for rounding),
/// its loudness follows exactly from the energies that were measured, and needs no second meter.
/// Threading: confined.
struct SampleComparison {
    // Rounding to 16 bits moves a sample by half a step.
    private static let tolerance: Float = 0.52 / 32768

    private let frames: [Frame]
    private let factor: Float
    private var index = 0
    private var offset = 0

    /// Expects `frames` times a factor; nil where there are none.
    init?(_ frames: [Frame], factor: Float) {
        guard !frames.isEmpty else { return nil }
        self.frames = frames
        self.factor = factor
    }

    /// Whether everything that was meant has come.
    var isComplete: Bool { index == frames.count }

    /// Takes the next decoded frame; false where a sample is not what was meant.
    mutating func matches(_ decoded: Frame) -> Bool {
        var done = 0
        while done < decoded.sampleCount {
            guard index < frames.count else { return false }
            let meant = frames[index]
            if index == 0, offset == 0, decoded.audioFormat != meant.audioFormat { return false }
            let count = min(decoded.sampleCount - done, meant.sampleCount - offset)
            guard isSame(decoded, from: done, meant, count) else { return false }
            done += count
            offset += count
            if offset == meant.sampleCount {
                index += 1
                offset = 0
            }
        }
        return true
    }

    private func isSame(_ decoded: Frame, from start: Int, _ meant: Frame, _ count: Int) -> Bool {
        decoded.withFloatPlanes { found in
            meant.withFloatPlanes { expected in
                guard found.count == expected.count, !found.isEmpty else { return false }
                for (plane, other) in zip(found, expected) {
                    // The bits of a magnitude order like the magnitude, and NaN is above all.
                    var worst: UInt32 = 0
                    for place in 0..<count {
                        let difference = plane[start &+ place] - other[offset &+ place] * factor
                        worst = max(worst, difference.magnitude.bitPattern)
                    }
                    guard worst <= SampleComparison.tolerance.bitPattern else { return false }
                }
                return true
            }
        }
    }
}

extension Programme {
    /// The figures of the same samples behind a gain in dB.
    func measurement(behind gain: Double) -> LoudnessMeasurement {
        let louder = blocks.amplified(by: gain)
        var result = measurement
        let isShort = louder.steps.count < 4
        result.integrated = isShort ? measurement.integrated + gain : louder.integrated
        result.range = louder.range
        result.momentaryMaximum = louder.momentaryMaximum
        result.shortTermMaximum = louder.shortTermMaximum
        result.truePeak = measurement.truePeak.map { $0 + gain }
        result.samplePeak += gain
        return result
    }
}

extension BlockEnergies {
    /// The energies behind a gain in dB.
    func amplified(by gain: Double) -> BlockEnergies {
        let factor = BlockEnergies.energy(gain) / BlockEnergies.energy(0)
        var blocks = BlockEnergies()
        for step in steps { blocks.append(step * factor) }
        return blocks
    }
}
