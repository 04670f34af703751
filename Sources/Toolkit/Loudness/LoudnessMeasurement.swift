// What a meter says about a programme.

internal import Glibc

/// The loudness figures of one programme or of a group.
public struct LoudnessMeasurement: Hashable, Sendable {
    /// Integrated loudness in LUFS; −∞ where nothing is above −70 LUFS.
    public var integrated: Double
    /// Loudness range in LU.
    public var range: Double
    /// The loudest 400 ms in LUFS; −∞ where there is none.
    public var momentaryMaximum: Double
    /// The loudest 3 s in LUFS; −∞ where there is none.
    public var shortTermMaximum: Double
    /// The peak between samples in dBTP; −∞ for silence, nil where it was not measured.
    public var truePeak: Double?
    /// The largest sample in dBFS; −∞ for silence.
    public var samplePeak: Double
    /// Samples that were not finite (or above 2^40) and were taken as 0.
    public var brokenSamples: Int
    /// Frames measured.
    public var frames: Int

    /// Puts figures together.
    public init(
        integrated: Double, range: Double, momentaryMaximum: Double, shortTermMaximum: Double,
        truePeak: Double?, samplePeak: Double, brokenSamples: Int, frames: Int
    ) {
        self.integrated = integrated
        self.range = range
        self.momentaryMaximum = momentaryMaximum
        self.shortTermMaximum = shortTermMaximum
        self.truePeak = truePeak
        self.samplePeak = samplePeak
        self.brokenSamples = brokenSamples
        self.frames = frames
    }

    /// Whether the programme has no loudness to speak of, so that no gain is right for it.
    public var isSilent: Bool { integrated == -.infinity }

    /// The figures of several programmes as one (an album).
    ///
    /// Loudness is gated over the blocks of all; peaks are the largest, counts the sums.
    public static func group(
        _ parts: [(measurement: LoudnessMeasurement, blocks: BlockEnergies)]
    ) -> LoudnessMeasurement {
        let blocks = parts.map(\.blocks)
        let all = parts.map(\.measurement)
        var integrated = BlockEnergies.integrated(blocks)
        if integrated == -.infinity {
            // Only parts shorter than a block: the loudest of them speaks for all.
            integrated = all.map(\.integrated).max() ?? -.infinity
        }
        let peaks = all.compactMap(\.truePeak)
        return LoudnessMeasurement(
            integrated: integrated, range: BlockEnergies.range(blocks),
            momentaryMaximum: all.map(\.momentaryMaximum).max() ?? -.infinity,
            shortTermMaximum: all.map(\.shortTermMaximum).max() ?? -.infinity,
            truePeak: peaks.count == all.count ? peaks.max() : nil,
            samplePeak: all.map(\.samplePeak).max() ?? -.infinity,
            brokenSamples: all.map(\.brokenSamples).reduce(0, +),
            frames: all.map(\.frames).reduce(0, +))
    }
}

/// Decibels of an amplitude; −∞ for 0.
func decibels(_ amplitude: Double) -> Double { amplitude > 0 ? 20 * log10(amplitude) : -.infinity }

/// The amplitude ratio of decibels.
func amplitude(_ decibels: Double) -> Double { pow(10, decibels / 20) }
