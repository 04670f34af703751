// A constant gain with a true-peak limiter behind it where one is needed.

internal import Glibc
internal import Loudness
internal import MediaCore
internal import MediaModel

/// What is done to a programme to bring it to its target.
struct GainSetting: Hashable, Sendable {
    /// In dB.
    var gain: Double
    /// The limiter's ceiling in dBTP; nil without a limiter.
    var ceiling: Double?
    /// Whether samples that are no numbers become 0, as they did for the meter.
    var mendsBroken = false

    /// The gain as an amplitude ratio.
    var factor: Float { Float(pow(10, gain / 20)) }
}

/// Applies a gain setting.
///
/// - Shape: planar Float32 at the rate and layout it was made for; as many samples out as in, at
///   their times.
/// - Threading: confined to one thread at a time.
final class GainFilter: AudioFilter {
    let acceptedInput: AudioFormatSet
    private let setting: GainSetting
    private var limiter: TruePeakLimiter?
    private var format: AudioFormat?
    // The time of the next sample that comes out.
    private var nextTicks: Int64?

    init(_ setting: GainSetting, accepting: AudioFormatSet) {
        self.setting = setting
        acceptedInput = accepting
    }

    func configure(
        _ input: AudioFormat, accepting output: AudioFormatSet
    ) throws(MediaError) -> AudioFormat {
        format = input
        nextTicks = nil
        limiter = setting.ceiling.map {
            TruePeakLimiter(
                sampleRate: input.sampleRate, channels: input.channelCount, ceiling: $0)
        }
        return input
    }

    func process(
        _ input: Frame?, emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard let limiter, let format else {
            if let input { try emit(amplified(input)) }
            return
        }
        if let input {
            let ticks = TimeBase(1, Int32(format.sampleRate))
            if nextTicks == nil {
                nextTicks = input.pts.map { input.timeBase.rescale($0, to: ticks) } ?? 0
            }
            let output = Frame.makeAudio(format, sampleCount: input.sampleCount, pts: nil)
            let count = input.withFloatPlanes { sources in
                output.withFloatPlanes { targets in
                    limiter.process(
                        sources.map { UnsafePointer($0) }, frames: input.sampleCount,
                        gain: pow(10, setting.gain / 20), into: targets)
                }
            }
            try give(output, count, emit)
        } else if limiter.latency > 0 {
            let output = Frame.makeAudio(format, sampleCount: limiter.latency, pts: nil)
            let count = output.withFloatPlanes { limiter.drain(into: $0) }
            try give(output, count, emit)
        }
    }

    func flush() {
        limiter?.reset()
        nextTicks = nil
    }

    var latency: MediaTime {
        guard let limiter, let format else { return .zero }
        return TimeBase(1, Int32(format.sampleRate)).time(ticks: Int64(limiter.latency))
    }

    private func give(
        _ frame: Frame, _ count: Int, _ emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard count > 0 else { return }
        let part = count < frame.sampleCount ? frame.slice(from: 0, count: count) : frame
        try emit(part.stamped(pts: nextTicks, timeBase: frame.timeBase))
        nextTicks = nextTicks.map { $0 + Int64(count) }
    }

    private func amplified(_ frame: Frame) -> Frame {
        guard setting.gain != 0 || setting.mendsBroken else { return frame }
        let output = frame.makeUnique()
        let factor = setting.factor
        output.withFloatPlanes { planes in
            for plane in planes {
                if setting.mendsBroken {
                    for index in 0..<frame.sampleCount where !GainFilter.isSound(plane[index]) {
                        plane[index] = 0
                    }
                }
                for index in 0..<frame.sampleCount { plane[index] *= factor }
            }
        }
        return output
    }

    // What the meters of Loudness take for a sample.
    private static func isSound(_ sample: Float) -> Bool { sample.magnitude <= 0x1p40 }
}
