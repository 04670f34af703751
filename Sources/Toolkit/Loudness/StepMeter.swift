// The K-weighted energy of each 100 ms.

internal import CDSP
internal import MediaCore

/// Measures the mean weighted square of each 100 ms; broken samples count as 0.
final class StepMeter {
    private let kernel: OpaquePointer
    private let sampleRate: Int
    private var steps = 0
    private var tail = 0
    private var sum = 0.0
    private var total = 0.0
    private(set) var frames = 0
    private(set) var brokenSamples = 0

    init(sampleRate: Int, weights: [SpeakerWeight]) throws(MediaError) {
        guard sampleRate >= 4000, !weights.isEmpty,
            let kernel = mk_kweight_new(
                Int32(weights.count), Double(sampleRate), weights.map(\.factor))
        else {
            throw MediaError(
                .badArgument,
                "loudness: \(weights.count) channels at \(sampleRate) Hz cannot be measured")
        }
        self.kernel = kernel
        self.sampleRate = sampleRate
    }

    deinit { mk_kweight_free(kernel) }

    /// Forgets everything heard; broken samples stay counted.
    func reset() {
        mk_kweight_reset(kernel)
        (steps, tail, frames) = (0, 0, 0)
        (sum, total) = (0, 0)
    }

    private var stepLength: Int { (steps + 1) * sampleRate / 10 - steps * sampleRate / 10 }

    /// Takes frames; `body` gets the energy of each 100 ms that ends within them.
    func add(_ planes: [UnsafePointer<Float>], frames count: Int, step body: (Double) -> Void) {
        var offset = 0
        while offset < count {
            let length = min(stepLength - tail, count - offset)
            let part: [UnsafePointer<Float>?] = planes.map { $0 + offset }
            brokenSamples += Int(mk_kweight_add(kernel, part, Int32(length), &sum))
            offset += length
            tail += length
            frames += length
            if tail == stepLength {
                body(sum / Double(stepLength))
                total += sum
                (tail, sum) = (0, 0)
                steps += 1
            }
        }
    }

    /// The loudness of everything so far without gates, for programmes under 400 ms, in LUFS.
    var ungated: Double {
        frames > 0 ? BlockEnergies.loudness((total + sum) / Double(frames)) : -.infinity
    }
}
