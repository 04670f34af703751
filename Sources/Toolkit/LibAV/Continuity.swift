// Timestamps that begin anew inside a medium, joined to those before.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// Shifts packets so that time goes on where a container's timestamps jump.
///
/// Broadcasts and chained Ogg files are joined from parts that each count from somewhere else. The
/// limits are those of FFmpeg's command line: more than 10 s apart, or back by more than 0.1 s.
struct Continuity {
    private static let microseconds = AVRational(num: 1, den: 1_000_000)
    private static let farApart: Int64 = 10_000_000
    private static let farBack: Int64 = 100_000

    private let isDense: [Bool]
    private var shift: Int64 = 0
    private var next: [Int64?]
    private var latest: [Int64?]
    private var last: Int64?

    /// Prepares for streams of these kinds; only in sound and pictures a gap means something.
    init(_ kinds: [MediaKind]) {
        isDense = kinds.map { $0 == .audio || $0 == .video }
        next = Array(repeating: nil, count: kinds.count)
        latest = next
    }

    /// Forgets what it knew, for a seek.
    mutating func reset() {
        shift = 0
        next = Array(repeating: nil, count: isDense.count)
        latest = next
        last = nil
    }

    /// Moves a packet's timestamps where they have to go on; gives the jump in microseconds.
    mutating func join(
        _ packet: UnsafeMutablePointer<AVPacket>, _ timeBase: TimeBase
    ) -> Int64? {
        let stream = Int(packet.pointee.stream_index)
        let ticks = timeBase.rational
        guard stream < next.count, packet.pointee.dts != mk_av_nopts_value else { return nil }
        let raw = av_rescale_q(packet.pointee.dts, ticks, Continuity.microseconds)
        var time = raw + shift
        var jump: Int64?
        if !isDense[stream] {
            jump = nil
        } else if let expected = next[stream] {
            let delta = time - expected
            if abs(delta) > Continuity.farApart
                || time + Continuity.farBack < latest[stream] ?? expected
            {
                jump = delta
            }
        } else if let last, abs(time - last) > Continuity.farApart {
            jump = time - last
        }
        if let jump {
            shift -= jump
            time -= jump
        }
        if shift != 0 {
            let moved = av_rescale_q(shift, Continuity.microseconds, ticks)
            packet.pointee.dts += moved
            if packet.pointee.pts != mk_av_nopts_value { packet.pointee.pts += moved }
        }
        guard isDense[stream] else { return nil }
        next[stream] = time + av_rescale_q(packet.pointee.duration, ticks, Continuity.microseconds)
        latest[stream] = time
        last = time
        return jump
    }
}
