// Timestamps of decoded sound, in samples and without drift.

package import MediaCore
package import MediaModel

/// Turns container timestamps into sample counts.
///
/// Containers round timestamps (Matroska to milliseconds, MPEG-TS to 1/90000 s). Where a timestamp
/// agrees with the samples that came before within its own rounding, the samples win, so that no
/// error adds up; a real gap is kept. This is what FFmpeg's command-line tool does, so outputs can
/// be compared. A jump back by more than `tolerance` is mended: sound goes on where it was.
package struct AudioTimeline {
    /// Overlaps below this are rounding of the container, not jumps.
    package static let tolerance = MediaTime.milliseconds(100)

    private let origin: MediaTime
    private var lastPacket: Int64?
    private var expected: Int64?
    private var end: Int64?
    private var rate = 0
    private var mended: Int64 = 0

    /// What the last `stamp` mended, if anything.
    package private(set) var jump: MediaTime?

    /// Counts from `origin`, the container's first timestamp.
    package init(origin: MediaTime = .zero) { self.origin = origin }

    /// Notes a packet that goes to the decoder: a gap between packets is a real gap.
    package mutating func see(_ packet: Packet) {
        if packet.duration > 0, let last = lastPacket, let pts = packet.pts,
            pts - last > packet.duration
        {
            expected = nil
        }
        lastPacket = packet.pts
    }

    /// The frame with its timestamp in ticks of 1 / sample rate.
    package mutating func stamp(_ frame: Frame, rate newRate: Int) -> Frame {
        let ticks = TimeBase(1, Int32(newRate))
        if rate != newRate, rate > 0 {
            let old = TimeBase(1, Int32(rate))
            end = end.map { AudioTimeline.bounded(Int128(old.rescale($0, to: ticks))) }
            mended = AudioTimeline.bounded(Int128(old.rescale(mended, to: ticks)))
            expected = nil
        }
        rate = newRate
        let length = Int64(frame.sampleCount)
        jump = nil
        var pts: Int64
        if let stamp = frame.pts {
            let moved = AudioTimeline.bounded(
                Int128(stamp) - Int128(frame.timeBase.ticks(origin)))
            pts = AudioTimeline.bounded(
                Int128(continued(moved, frame.timeBase, ticks, length)) + Int128(mended))
        } else {
            pts = end ?? 0
        }
        if let end, pts < end - ticks.ticks(AudioTimeline.tolerance) {
            jump = ticks.time(ticks: end - pts)
            mended = AudioTimeline.bounded(Int128(mended) + Int128(end - pts))
            pts = end
        }
        end = pts + length
        return frame.stamped(pts: pts, timeBase: ticks)
    }

    /// Forgets what came before, for a seek.
    package mutating func reset() { self = AudioTimeline(origin: origin) }

    /// The sample at which the frame begins: what the samples before say, if the timestamp agrees.
    private mutating func continued(
        _ stamp: Int64, _ base: TimeBase, _ ticks: TimeBase, _ length: Int64
    ) -> Int64 {
        let isCoarse =
            Int64(base.numerator) * Int64(ticks.denominator)
            > Int64(ticks.numerator) * Int64(base.denominator)
        if let expected, isCoarse, length > 0 {
            let earliest = AudioTimeline.scaled(2 * stamp - 1, base, ticks, up: false) >> 1
            let latest = (AudioTimeline.scaled(2 * stamp + 1, base, ticks, up: true) + 1) >> 1
            let samples = Int128(expected)
            if samples >= 2 * earliest - latest, samples <= 2 * latest - earliest {
                let agreed = AudioTimeline.bounded(min(max(samples, earliest), latest))
                self.expected = agreed + length
                return agreed
            }
        }
        let rounded = AudioTimeline.bounded(Int128(base.rescale(stamp, to: ticks)))
        expected = rounded + length
        return rounded
    }

    /// The nearest count that sums of a few of its kind can bear; no medium is that long.
    private static func bounded(_ count: Int128) -> Int64 {
        Int64(min(max(count, -(1 << 61)), 1 << 61))
    }

    private static func scaled(
        _ value: Int64, _ from: TimeBase, _ to: TimeBase, up: Bool
    ) -> Int128 {
        let product = Int128(value) * Int128(from.numerator) * Int128(to.denominator)
        let divisor = Int128(from.denominator) * Int128(to.numerator)
        let (quotient, remainder) = product.quotientAndRemainder(dividingBy: divisor)
        if remainder == 0 { return quotient }
        let isNegative = (remainder < 0) != (divisor < 0)
        return up
            ? (isNegative ? quotient : quotient + 1)
            : (isNegative ? quotient - 1 : quotient)
    }
}
