// Timestamps that no medium can mean are taken as unknown, before anything reckons with them.

internal import CFFmpeg
internal import MediaCore

extension UnsafeMutablePointer<AVPacket> {
    /// Takes back what is so far off that sums of a few such times would overflow.
    func dropAbsurdTimes(_ timeBase: TimeBase) {
        if timeBase.isAbsurd(pointee.pts) { pointee.pts = mk_av_nopts_value }
        if timeBase.isAbsurd(pointee.dts) { pointee.dts = mk_av_nopts_value }
        if timeBase.isAbsurd(pointee.duration) { pointee.duration = 0 }
    }
}
