// The peak of a signal between its samples.

internal import CDSP

/// Measures the true peak: the largest magnitude on a grid of at least 192 kHz.
///
/// Exact by pruning: an interpolated value cannot exceed the largest sample around it by more than
/// the interpolator's bound (5.6 dB), so stretches that cannot beat the peak known so far are
/// skipped. Interpolates to 192 kHz or finer with the kernel that FFmpeg's resampler uses; figures
/// agree with `ebur128=peak=true`.
///
/// - Shape: planar Float32, any rate.
/// - Broken samples (not finite, or above 2^40) count as 0 and are counted.
/// - Threading: confined to one thread at a time.
/// - Source: ITU-R BS.1770-4 annex 2.
public final class TruePeakMeter {
    private let interpolator: OpaquePointer
    private var meters: [OpaquePointer]

    /// Points a sample that show the peaks of a grid of `grid` Hz.
    static func phases(sampleRate: Int, grid: Int = 192_000) -> Int {
        let phases = (grid + sampleRate - 1) / max(1, sampleRate)
        // Where the grid of 192 kHz is no multiple of the rate, no grid of ours meets its points:
        // a finer one comes as near to any peak.
        let isOnGrid = grid % max(1, sampleRate) == 0
        return min(64, max(1, isOnGrid ? phases : 2 * phases))
    }

    /// Makes a meter.
    ///
    /// - Parameter betweenSamples: false measures only the samples themselves, cheaply.
    public init(sampleRate: Int, channels: Int, betweenSamples: Bool = true) {
        let phases = betweenSamples ? TruePeakMeter.phases(sampleRate: sampleRate) : 1
        guard let interpolator = mk_interpolator_new(Int32(phases)) else {
            preconditionFailure("no memory for an interpolator")
        }
        self.interpolator = interpolator
        meters = (0..<channels).map { _ in
            guard let meter = mk_true_peak_new(interpolator) else {
                preconditionFailure("no memory for a true-peak meter")
            }
            return meter
        }
    }

    deinit {
        for meter in meters { mk_true_peak_free(meter) }
        mk_interpolator_free(interpolator)
    }

    /// Takes `frames` frames, one pointer a channel; gives the number of broken samples in them.
    @discardableResult
    public func add(_ planes: [UnsafePointer<Float>], frames: Int) -> Int {
        var broken = 0
        for (meter, plane) in zip(meters, planes) {
            broken += Int(mk_true_peak_add(meter, plane, Int32(frames)))
        }
        return broken
    }

    /// The peak so far in dBTP, −∞ for silence; what follows the end is taken as silence.
    public var truePeak: Double { channelTruePeaks.max() ?? -.infinity }

    /// The peak of each channel in dBTP.
    public var channelTruePeaks: [Double] {
        meters.map { decibels(Double(mk_true_peak_value($0))) }
    }

    /// The largest sample so far in dBFS, −∞ for silence.
    public var samplePeak: Double {
        meters.map { decibels(Double(mk_true_peak_sample($0))) }.max() ?? -.infinity
    }
}

@available(*, unavailable) extension TruePeakMeter: Sendable {}
