// Packets in another form of the same codec.

internal import CFFmpeg
internal import MediaCore

/// One of FFmpeg's bitstream filters, between the packets of a stream and a muxer.
///
/// Threading: confined.
final class BitstreamFilter {
    private let subject: String
    private var context: UnsafeMutablePointer<AVBSFContext>?

    /// Opens a filter for a stream; `subject` begins its errors.
    init(
        _ name: String, _ parameters: UnsafePointer<AVCodecParameters>, _ timeBase: AVRational,
        subject: String
    ) throws(MediaError) {
        self.subject = subject
        guard let filter = av_bsf_get_by_name(name) else {
            throw MediaError(.outputFailed, "\(subject): FFmpeg has no bitstream filter '\(name)'")
        }
        try avCheck(av_bsf_alloc(filter, &context), subject, else: .outputFailed)
        guard let context else { fatalError("out of memory") }
        context.pointee.time_base_in = timeBase
        do {
            try avCheck(
                avcodec_parameters_copy(context.pointee.par_in, parameters), subject,
                else: .outputFailed)
            try avCheck(av_bsf_init(context), subject, else: .outputFailed)
        } catch {
            av_bsf_free(&self.context)
            throw error
        }
    }

    deinit { av_bsf_free(&context) }

    /// What the packets are behind it.
    var parameters: UnsafePointer<AVCodecParameters>? {
        context.flatMap { UnsafePointer($0.pointee.par_out) }
    }

    /// Changes a packet in place; those of the filters used here give one for each.
    func apply(_ packet: UnsafeMutablePointer<AVPacket>) throws(MediaError) {
        try avCheck(av_bsf_send_packet(context, packet), subject, else: .outputFailed)
        try avCheck(av_bsf_receive_packet(context, packet), subject, else: .outputFailed)
    }
}

@available(*, unavailable)
extension BitstreamFilter: Sendable {}

extension UnsafePointer<AVOutputFormat> {
    /// The filter that makes packets of a stream what this container's readers know; nil where they
    /// are that already, or the muxer sees to it.
    ///
    /// Programs and transport streams have no place for headers apart from the packets: H.264 needs
    /// start codes there, and MPEG-4 its headers before each keyframe.
    func bitstreamFilter(_ parameters: UnsafePointer<AVCodecParameters>) -> String? {
        guard parameters.pointee.extradata_size > 0, let header = parameters.pointee.extradata
        else { return nil }
        let programs = ["mpeg", "vcd", "dvd", "svcd", "vob"]
        let transports = ["mpegts", "rtp_mpegts", "hls"]
        let name = String(cString: pointee.name)
        switch parameters.pointee.codec_id {
        // A header that begins with 1 tells the lengths that stand in place of start codes.
        case AV_CODEC_ID_H264 where programs.contains(name) && header[0] == 1:
            return "h264_mp4toannexb"
        case AV_CODEC_ID_MPEG4 where transports.contains(name):
            return "dump_extra"
        default: return nil
        }
    }
}
