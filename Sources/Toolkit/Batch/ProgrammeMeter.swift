// A loudness meter that takes frames.

internal import Loudness
internal import MediaCore
internal import MediaModel

/// Measures the frames of one programme; a change of format within it is refused.
///
/// Threading: confined.
final class ProgrammeMeter {
    /// How much is measured.
    enum Depth {
        /// All that is reported.
        case full
        /// The energies alone, quickly, for a trial.
        case energies
    }

    private let depth: Depth
    private var full: LoudnessMeter?
    private var quick: EnergyMeter?
    private var format: AudioFormat?

    init(_ depth: Depth = .full) { self.depth = depth }

    /// Takes a frame of planar Float32.
    func add(_ frame: Frame) throws(MediaError) {
        guard let incoming = frame.audioFormat else { return }
        try prepare(for: incoming)
        frame.withFloatPlanes { planes in
            let planes = planes.map { UnsafePointer($0) }
            full?.add(planes, frames: frame.sampleCount)
            quick?.add(planes, frames: frame.sampleCount)
        }
    }

    private func prepare(for incoming: AudioFormat) throws(MediaError) {
        if format == incoming { return }
        if let format {
            throw MediaError(
                .filterFailed,
                "the sound changes from \(format) to \(incoming); its loudness can't be measured "
                    + "as one")
        }
        switch depth {
        case .full:
            full = try LoudnessMeter(sampleRate: incoming.sampleRate, layout: incoming.layout)
        case .energies:
            quick = try EnergyMeter(sampleRate: incoming.sampleRate, layout: incoming.layout)
        }
        format = incoming
    }

    /// The figures so far; those of silence where nothing came.
    var measurement: LoudnessMeasurement {
        full?.measurement
            ?? LoudnessMeasurement(
                integrated: -.infinity, range: 0, momentaryMaximum: -.infinity,
                shortTermMaximum: -.infinity, truePeak: -.infinity,
                samplePeak: -.infinity, brokenSamples: 0, frames: 0)
    }

    /// The energies so far.
    var blocks: BlockEnergies { full?.blocks ?? quick?.blocks ?? BlockEnergies() }

    /// Integrated loudness so far.
    var integrated: Double { quick?.integrated ?? measurement.integrated }
}
