// A loudness meter that takes frames.

internal import Loudness
internal import MediaCore
internal import MediaModel

/// Measures the frames of one programme; a change of format within it is refused.
///
/// Threading: confined.
final class ProgrammeMeter {
    private let measuresTruePeak: Bool
    private var meter: LoudnessMeter?
    private var format: AudioFormat?

    init(truePeak: Bool = true) { measuresTruePeak = truePeak }

    /// Takes a frame of planar Float32.
    func add(_ frame: Frame) throws(MediaError) {
        guard let incoming = frame.audioFormat else { return }
        let meter = try meter(for: incoming)
        frame.withFloatPlanes { planes in
            meter.add(planes.map { UnsafePointer($0) }, frames: frame.sampleCount)
        }
    }

    private func meter(for incoming: AudioFormat) throws(MediaError) -> LoudnessMeter {
        if let meter, format == incoming { return meter }
        if let format {
            throw MediaError(
                .filterFailed,
                "the sound changes from \(format) to \(incoming); its loudness can't be measured "
                    + "as one")
        }
        let made = try LoudnessMeter(
            sampleRate: incoming.sampleRate, layout: incoming.layout, truePeak: measuresTruePeak)
        meter = made
        format = incoming
        return made
    }

    /// The figures so far; those of silence where nothing came.
    var measurement: LoudnessMeasurement {
        meter?.measurement
            ?? LoudnessMeasurement(
                integrated: -.infinity, range: 0, momentaryMaximum: -.infinity,
                shortTermMaximum: -.infinity, truePeak: measuresTruePeak ? -.infinity : nil,
                samplePeak: -.infinity, brokenSamples: 0, frames: 0)
    }

    /// The energies so far.
    var blocks: BlockEnergies { meter?.blocks ?? BlockEnergies() }
}
