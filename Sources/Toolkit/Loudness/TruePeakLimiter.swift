// A limiter that keeps the peak between samples under a ceiling.

internal import CDSP
internal import Glibc
public import MediaCore

/// Turns a programme down, smoothly and no more than needed, where its true peak passes a ceiling.
///
/// All channels share one gain. It looks 5 ms ahead, comes back with a time constant of 50 ms, and
/// is exactly 1 where nothing is near the ceiling: there the samples pass unchanged but for the
/// gain asked for. The result does not depend on how the programme is cut into calls.
///
/// - Shape: planar Float32; as many frames out as in: the first `latency` frames are held back and
///   come from `drain`, so output and input stay aligned.
/// - Units: ceiling in dBTP; the peak found by a 192 kHz meter stays within 0.05 dB of it.
/// - Latency: `latency` frames, 5 ms and 15 frames.
/// - Broken samples (not finite, or above 2^40) count as 0 and are counted.
/// - Threading: confined to one thread at a time.
public final class TruePeakLimiter {
    /// Look-ahead.
    public static let lookAhead = MediaTime.milliseconds(5)
    /// Time constant of the release.
    public static let release = MediaTime.milliseconds(50)
    /// The limiter aims this much under the ceiling, for what rounding and a finer grid add.
    static let margin = 0.02

    /// Frames that are held back.
    public let latency: Int
    /// Broken samples taken as 0 so far.
    public private(set) var brokenSamples = 0

    private let channels: Int
    private let interpolator: OpaquePointer
    private let limiter: OpaquePointer
    private var toDrop: Int
    private var held = 0

    /// Makes a limiter.
    ///
    /// - Parameters:
    ///   - sampleRate: in Hz.
    ///   - channels: how many share the gain.
    ///   - ceiling: the largest true peak that comes out, in dBTP.
    public init(sampleRate: Int, channels: Int, ceiling: Double) {
        // Twice as fine as the meter's grid: a peak may fall between its points, too.
        let phases = TruePeakMeter.phases(sampleRate: sampleRate, grid: 384_000)
        let window = max(4, Int((Double(sampleRate) * TruePeakLimiter.lookAhead.seconds).rounded()))
        let releasePart = 1 - exp(-1 / (Double(sampleRate) * TruePeakLimiter.release.seconds))
        guard let interpolator = mk_interpolator_new(Int32(phases)),
            let limiter = mk_limiter_new(
                interpolator, Int32(channels), Int32(window), TruePeakLimiter.linear(ceiling),
                releasePart)
        else { preconditionFailure("no memory for a limiter") }
        self.channels = channels
        self.interpolator = interpolator
        self.limiter = limiter
        latency = Int(mk_limiter_latency(limiter))
        toDrop = latency
    }

    deinit {
        mk_limiter_free(limiter)
        mk_interpolator_free(interpolator)
    }

    private static func linear(_ ceiling: Double) -> Float { Float(amplitude(ceiling - margin)) }

    /// Changes the ceiling from the next frames on, in dBTP.
    public func setCeiling(_ ceiling: Double) {
        mk_limiter_set_ceiling(limiter, TruePeakLimiter.linear(ceiling))
    }

    /// Takes `frames` frames times `gain`; gives the number of frames written.
    ///
    /// At first fewer come out than go in (`latency` are held back); input and output may be the
    /// same memory.
    ///
    /// - Parameter gain: an amplitude ratio.
    public func process(
        _ input: [UnsafePointer<Float>], frames: Int, gain: Double = 1,
        into output: [UnsafeMutablePointer<Float>]
    ) -> Int {
        guard frames > 0 else { return 0 }
        processDelayed(input, frames: frames, gain: gain, into: output)
        let dropped = min(toDrop, frames)
        toDrop -= dropped
        held += dropped
        let written = frames - dropped
        if dropped > 0, written > 0 {
            for plane in output { plane.update(from: plane + dropped, count: written) }
        }
        return written
    }

    /// Takes `frames` frames times `gain` and writes as many that are `latency` older.
    ///
    /// For programs that align sound themselves; don't mix with `process`.
    public func processDelayed(
        _ input: [UnsafePointer<Float>], frames: Int, gain: Double = 1,
        into output: [UnsafeMutablePointer<Float>]
    ) {
        let sources: [UnsafePointer<Float>?] = input
        let targets: [UnsafeMutablePointer<Float>?] = output
        brokenSamples += Int(
            mk_limiter_process(limiter, sources, targets, Int32(frames), Float(gain)))
    }

    /// Writes the frames held back, `latency` at most; the limiter is as new afterwards.
    public func drain(into output: [UnsafeMutablePointer<Float>]) -> Int {
        let count = held
        let silence = [Float](repeating: 0, count: latency)
        silence.withUnsafeBufferPointer { zeros in
            guard let zero = zeros.baseAddress else { return }
            let sources = [UnsafePointer<Float>?](repeating: zero, count: channels)
            let targets: [UnsafeMutablePointer<Float>?] = output
            if toDrop > 0 {
                // Shorter than the latency: the first frames are still on their way.
                let scratch = UnsafeMutablePointer<Float>.allocate(capacity: latency * channels)
                let planes: [UnsafeMutablePointer<Float>?] = (0..<channels).map {
                    scratch + $0 * latency
                }
                mk_limiter_process(limiter, sources, planes, Int32(toDrop), 1)
                scratch.deallocate()
            }
            if count > 0 { mk_limiter_process(limiter, sources, targets, Int32(count), 1) }
        }
        reset()
        return count
    }

    /// Forgets everything heard.
    public func reset() {
        mk_limiter_reset(limiter)
        toDrop = latency
        held = 0
    }

    /// The most it has turned down so far, in dB; 0 when nothing was limited.
    public var largestReduction: Double { -decibels(Double(mk_limiter_least_gain(limiter))) }
}

@available(*, unavailable) extension TruePeakLimiter: Sendable {}
