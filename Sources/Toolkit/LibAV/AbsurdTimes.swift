// Timestamps that no medium can mean are taken as unknown, before anything reckons with them.

internal import CFFmpeg
internal import MediaCore

extension UnsafeMutablePointer<AVPacket> {
    /// Takes back what is so far off that sums of a few such times would overflow; 73 years are
    /// not, so that times counted from 1970 stay.
    func dropAbsurdTimes(_ timeBase: TimeBase) {
        func isAbsurd(_ ticks: Int64) -> Bool {
            max(ticks.magnitude, timeBase.time(ticks: ticks).nanoseconds.magnitude) > 1 << 61
        }
        if isAbsurd(pointee.pts) { pointee.pts = mk_av_nopts_value }
        if isAbsurd(pointee.dts) { pointee.dts = mk_av_nopts_value }
        if isAbsurd(pointee.duration) { pointee.duration = 0 }
    }
}
