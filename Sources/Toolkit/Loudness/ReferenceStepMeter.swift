// The K-weighted energy of each 100 ms, by libebur128.

internal import CDSP
internal import CEBUR128
internal import MediaCore

/// Measures the mean weighted square of each 100 ms; broken samples count as 0.
///
/// libebur128 is asked for the last 100 ms at the end of each, because its own gating blocks sum
/// each sample four times over; `BlockEnergies` joins them and applies the gates.
final class ReferenceStepMeter {
    private var state: UnsafeMutablePointer<ebur128_state>?
    private let sampleRate: Int
    private let channels: Int
    private let interleaved: UnsafeMutablePointer<Float>
    private var steps = 0
    private var tail = 0
    private(set) var frames = 0
    private(set) var brokenSamples = 0

    private static let chunk = 4096

    init(sampleRate: Int, weights: [SpeakerWeight]) throws(MediaError) {
        self.sampleRate = sampleRate
        channels = weights.count
        interleaved = .allocate(capacity: ReferenceStepMeter.chunk * weights.count)
        state = ebur128_init(
            UInt32(clamping: weights.count), UInt(clamping: sampleRate),
            Int32(EBUR128_MODE_M.rawValue))
        guard state != nil else {
            throw MediaError(
                .badArgument,
                "loudness: \(weights.count) channels at \(sampleRate) Hz cannot be measured")
        }
        for (index, weight) in weights.enumerated() {
            ebur128_set_channel(state, UInt32(index), Int32(weight.channel.rawValue))
        }
    }

    deinit {
        if state != nil { ebur128_destroy(&state) }
        interleaved.deallocate()
    }

    private var stepLength: Int { (steps + 1) * sampleRate / 10 - steps * sampleRate / 10 }

    /// Takes frames; `body` gets the energy of each 100 ms that ends within them.
    func add(_ planes: [UnsafePointer<Float>], frames count: Int, step body: (Double) -> Void) {
        var offset = 0
        while offset < count {
            let length = min(ReferenceStepMeter.chunk, stepLength - tail, count - offset)
            let part: [UnsafePointer<Float>?] = planes.map { $0 + offset }
            brokenSamples += Int(
                mk_pcm_interleave(interleaved, part, Int32(channels), Int32(length)))
            ebur128_add_frames_float(state, interleaved, length)
            offset += length
            tail += length
            frames += length
            if tail == stepLength {
                var loudness = -Double.infinity
                ebur128_loudness_window(state, 100, &loudness)
                body(BlockEnergies.energy(loudness))
                tail = 0
                steps += 1
            }
        }
    }
}
