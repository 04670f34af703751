// The K-weighted energy of each 100 ms, on libebur128.

internal import CDSP
internal import CEBUR128
internal import MediaCore

/// Feeds libebur128 in steps of 100 ms and reads the energy of each; broken samples count as 0.
final class StepMeter {
    private var state: UnsafeMutablePointer<ebur128_state>?
    private let weights: [SpeakerWeight]
    private let mode: Int32
    private let channels: Int
    private let sampleRate: Int
    private let interleaved: UnsafeMutablePointer<Float>
    private var steps = 0
    private var tail = 0
    private(set) var frames = 0
    private(set) var brokenSamples = 0

    /// - Parameter integrates: whether libebur128 keeps what integrated loudness needs.
    init(sampleRate: Int, weights: [SpeakerWeight], integrates: Bool) throws(MediaError) {
        self.weights = weights
        self.sampleRate = sampleRate
        mode = Int32((integrates ? EBUR128_MODE_I : EBUR128_MODE_M).rawValue)
        channels = weights.count
        interleaved = .allocate(capacity: (sampleRate / 10 + 1) * weights.count)
        makeState()
        guard state != nil else {
            throw MediaError(
                .badArgument,
                "loudness: \(weights.count) channels at \(sampleRate) Hz cannot be measured")
        }
    }

    private func makeState() {
        state = ebur128_init(UInt32(clamping: channels), UInt(clamping: sampleRate), mode)
        guard state != nil else { return }
        for (index, weight) in weights.enumerated() {
            ebur128_set_channel(state, UInt32(index), Int32(weight.channel.rawValue))
        }
    }

    /// Forgets everything heard; broken samples stay counted.
    func reset() {
        if state != nil { ebur128_destroy(&state) }
        makeState()
        steps = 0
        tail = 0
        frames = 0
    }

    deinit {
        if state != nil { ebur128_destroy(&state) }
        interleaved.deallocate()
    }

    /// Frames from here to the end of the present 100 ms.
    private var framesToStep: Int {
        (steps + 1) * sampleRate / 10 - steps * sampleRate / 10 - tail
    }

    /// Takes frames; `body` gets the energy of each 100 ms that ends within them.
    func add(_ planes: [UnsafePointer<Float>], frames count: Int, step body: (Double) -> Void) {
        var offset = 0
        while offset < count {
            let length = min(framesToStep, count - offset)
            let part: [UnsafePointer<Float>?] = planes.map { $0 + offset }
            brokenSamples += Int(
                mk_pcm_interleave(interleaved, part, Int32(channels), Int32(length)))
            ebur128_add_frames_float(state, interleaved, length)
            offset += length
            tail += length
            frames += length
            if framesToStep == 0 {
                tail = 0
                steps += 1
                body(energy(milliseconds: 100))
            }
        }
    }

    /// The mean weighted square of the last `milliseconds` (400 at most).
    func energy(milliseconds: Int) -> Double {
        var loudness = 0.0
        guard milliseconds > 0,
            ebur128_loudness_window(state, UInt(milliseconds), &loudness) == 0,
            loudness > -.infinity
        else { return 0 }
        return BlockEnergies.energy(loudness)
    }

    /// Integrated loudness in LUFS by libebur128; −∞ where nothing passes its gates.
    var integrated: Double {
        var loudness = -Double.infinity
        ebur128_loudness_global(state, &loudness)
        return loudness
    }

    /// The loudness of everything so far without gates, for programmes under 400 ms.
    var ungated: Double {
        BlockEnergies.loudness(energy(milliseconds: min(400, frames * 1000 / sampleRate)))
    }
}
