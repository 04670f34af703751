// Timestamps of decoded frames.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// Chooses the timestamp of each decoded frame and fills in those of pictures that have none.
///
/// Sound keeps what the decoder says. Threading: confined.
struct FrameTimestamps {
    private let ticks: TimeBase
    private var next = mk_av_nopts_value
    private var last = mk_av_nopts_value
    /// The least time between two pictures; the last ones may have none of their own, and some
    /// containers tell durations that are much too short.
    private var step: Int64 = 0

    /// Takes what a tick of the frames' timestamps lasts.
    init(_ ticks: TimeBase) { self.ticks = ticks }

    /// Forgets what it knew, for a seek.
    mutating func reset() {
        next = mk_av_nopts_value
        last = mk_av_nopts_value
    }

    /// Takes a decoded frame and gives it with its time.
    mutating func stamp(_ frame: UnsafeMutablePointer<AVFrame>) -> Frame {
        guard frame.pointee.nb_samples == 0 else { return Frame(owning: frame, timeBase: ticks) }
        let best = frame.pointee.best_effort_timestamp
        frame.pointee.pts = best == mk_av_nopts_value ? next : best
        if frame.pointee.pts != mk_av_nopts_value {
            if best != mk_av_nopts_value, last != mk_av_nopts_value, best > last {
                step = step > 0 ? min(step, best - last) : best - last
            }
            last = best
            next = frame.pointee.pts + max(step, mk_frame_duration(frame))
        }
        return Frame(owning: frame, timeBase: ticks)
    }
}

extension TimeBase {
    /// FFmpeg's form.
    var rational: AVRational { AVRational(num: numerator, den: denominator) }
}
