// A normaliser that works while the programme plays: one pass, no look into the future.

internal import CDSP
internal import Glibc
public import MediaCore
public import MediaModel

/// Steers the gain of a running programme to a loudness, with a true-peak limiter behind it.
///
/// Every 100 ms it compares the gated loudness of the last 20 s (or the last 3 s less 2 LU, or the
/// last 400 ms less 6 LU, where that is more) with the target and moves the gain there: within the
/// first 3 s (and those behind a change of the target) by up to 60 dB/s down and 20 dB/s up, later by 12 dB/s down and 1.5 dB/s up. The
/// integrated loudness that came out in the last minute corrects the aim by up to 2 LU. Pauses
/// and silence leave the gain where it is, and it stays within ±40 dB.
///
/// - Shape: planar Float32; as many frames out as in, aligned; the first `latency` frames are held
///   back and come from `drain`. The result does not depend on how the programme is cut into calls.
/// - Latency: that of `TruePeakLimiter`; the rider adds none.
/// - Broken samples (not finite, or above 2^40) count as 0 and are counted.
/// - Threading: confined to one thread at a time.
public final class GainRider {
    /// The most it raises or lowers, in dB.
    public static let reach = 40.0

    /// The gain at present, in dB.
    public private(set) var gain = 0.0
    /// What it steers to; a change is followed at the pace of the rider.
    public var target: LoudnessTarget {
        didSet {
            if isActive { limiter.setCeiling(target.truePeak) }
            guard target.integrated != oldValue.integrated else { return }
            output.restart()
            steps = 0
            isOverdue = true
        }
    }

    /// Whether it steers; while it does not, the gain goes to 0 dB by 2 dB each 10 ms, the
    /// limiter lets everything pass, and what was heard is forgotten.
    public var isActive = true {
        didSet {
            guard isActive != oldValue else { return }
            limiter.setCeiling(isActive ? target.truePeak : GainRider.noCeiling)
            restart()
        }
    }
    private static let noCeiling = 200.0

    private let sampleRate: Int
    private let limiter: TruePeakLimiter
    private let inputMeter: StepMeter
    private let outputMeter: StepMeter
    private var input = LoudnessHistory(limit: 200)
    private var output = LoudnessHistory(limit: 600)
    private var steps = 0
    private var isOverdue = false
    private var aim = 0.0
    // The piece of 10 ms that is being played, and its ramp.
    private var pieces = 0
    private var offset = 0
    private var gains: (first: Float, step: Float) = (1, 0)

    /// Makes a rider.
    ///
    /// - Parameters:
    ///   - sampleRate: in Hz.
    ///   - layout: the channels.
    ///   - target: loudness and ceiling.
    public init(
        sampleRate: Int, layout: ChannelLayout, target: LoudnessTarget
    ) throws(MediaError) {
        self.sampleRate = sampleRate
        let weights = SpeakerWeight.weights(for: layout)
        self.target = target
        inputMeter = try StepMeter(sampleRate: sampleRate, weights: weights)
        outputMeter = try StepMeter(sampleRate: sampleRate, weights: weights)
        limiter = TruePeakLimiter(
            sampleRate: sampleRate, channels: weights.count, ceiling: target.truePeak)
    }

    /// Frames that are held back.
    public var latency: Int { limiter.latency }

    /// Broken samples taken as 0 so far.
    public var brokenSamples: Int { inputMeter.brokenSamples }

    /// Takes `frames` frames; gives the number written.
    ///
    /// Input and output may be the same memory.
    public func process(
        _ input: [UnsafePointer<Float>], frames: Int, into output: [UnsafeMutablePointer<Float>]
    ) -> Int {
        var done = 0
        var written = 0
        while done < frames {
            let length = min(pieceLength - offset, frames - done)
            let part = input.map { $0 + done }
            let scaled = output.map { $0 + written }
            // Written never passes done, so in place the input still to come stays untouched.
            ramp(part, frames: length, into: scaled)
            let out = limiter.process(
                scaled.map { UnsafePointer($0) }, frames: length, into: scaled)
            hear(scaled, frames: out)
            written += out
            done += length
            offset += length
            if offset == pieceLength { nextPiece() }
        }
        return written
    }

    /// Takes `frames` frames in place and leaves as many that are `latency` older.
    ///
    /// For programs that align sound themselves; don't mix with `process`.
    public func processDelayed(_ planes: [UnsafeMutablePointer<Float>], frames: Int) {
        var done = 0
        while done < frames {
            let length = min(pieceLength - offset, frames - done)
            let part = planes.map { $0 + done }
            ramp(part.map { UnsafePointer($0) }, frames: length, into: part)
            limiter.processDelayed(part.map { UnsafePointer($0) }, frames: length, into: part)
            hear(part, frames: length)
            done += length
            offset += length
            if offset == pieceLength { nextPiece() }
        }
    }

    /// Measures what comes in and applies the gain.
    private func ramp(
        _ source: [UnsafePointer<Float>], frames: Int, into target: [UnsafeMutablePointer<Float>]
    ) {
        if isActive { inputMeter.add(source, frames: frames) { self.input.append($0) } }
        for (source, target) in zip(source, target) {
            mk_pcm_ramp(target, source, Int32(frames), gains.first, gains.step, Int32(offset))
        }
    }

    /// Measures what goes out.
    private func hear(_ planes: [UnsafeMutablePointer<Float>], frames: Int) {
        guard isActive else { return }
        outputMeter.add(planes.map { UnsafePointer($0) }, frames: frames) { output.append($0) }
    }

    /// Writes the frames held back, `latency` at most; the gain is kept.
    public func drain(into output: [UnsafeMutablePointer<Float>]) -> Int {
        limiter.drain(into: output)
    }

    /// Forgets what is held back and what was heard; the gain is kept, for a seek.
    public func flush() {
        limiter.reset()
        restart()
    }

    private func restart() {
        inputMeter.reset()
        outputMeter.reset()
        input.restart()
        output.restart()
        steps = 0
    }

    private var pieceLength: Int {
        max(1, (pieces + 1) * sampleRate / 100 - pieces * sampleRate / 100)
    }

    private func nextPiece() {
        pieces += 1
        offset = 0
        let next: Double
        if isActive {
            if pieces % 10 == 0 || isOverdue { steer() }
            let early = steps < 30
            // A sudden burst is brought down as fast as at the start.
            let down = (early || gain - aim > 6 ? 60.0 : 12.0) / 100
            let up = (early ? 20.0 : 1.5) / 100
            next = gain + min(max(aim - gain, -down), up)
        } else {
            next = gain - min(max(gain, -2), 2)
            aim = 0
        }
        let first = Float(amplitude(gain))
        gains = (first, (Float(amplitude(next)) - first) / Float(pieceLength))
        gain = next
    }

    /// Decides where the gain should go, from what was heard.
    private func steer() {
        isOverdue = false
        let programme = input.gated
        guard input.isActive, programme > -.infinity else { return }
        steps += 1
        let loudness = max(programme, input.shortTerm - 2, input.momentary - 6)
        var correction = 0.0
        if output.count >= 30 {
            let result = output.gated
            if result > -.infinity { correction = 0.8 * (target.integrated - result) }
        }
        let wanted = target.integrated - loudness + min(max(correction, -2), 2)
        aim = min(max(wanted, -GainRider.reach), GainRider.reach)
    }
}

@available(*, unavailable) extension GainRider: Sendable {}
