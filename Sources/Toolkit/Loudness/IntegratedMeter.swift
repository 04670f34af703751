// Integrated loudness, on libebur128.

internal import CDSP
internal import CEBUR128
internal import MediaCore

/// Feeds libebur128; broken samples count as 0.
final class IntegratedMeter {
    private var state: UnsafeMutablePointer<ebur128_state>?
    private let channels: Int
    private let interleaved: UnsafeMutablePointer<Float>

    private static let chunk = 4096

    init(sampleRate: Int, weights: [SpeakerWeight]) throws(MediaError) {
        channels = weights.count
        interleaved = .allocate(capacity: IntegratedMeter.chunk * weights.count)
        state = ebur128_init(
            UInt32(clamping: weights.count), UInt(clamping: sampleRate),
            Int32(EBUR128_MODE_I.rawValue))
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

    func add(_ planes: [UnsafePointer<Float>], frames count: Int) {
        var offset = 0
        while offset < count {
            let length = min(IntegratedMeter.chunk, count - offset)
            let part: [UnsafePointer<Float>?] = planes.map { $0 + offset }
            mk_pcm_interleave(interleaved, part, Int32(channels), Int32(length))
            ebur128_add_frames_float(state, interleaved, length)
            offset += length
        }
    }

    /// Integrated loudness in LUFS; −∞ where nothing passes the gates.
    var integrated: Double {
        var loudness = -Double.infinity
        ebur128_loudness_global(state, &loudness)
        return loudness
    }
}
