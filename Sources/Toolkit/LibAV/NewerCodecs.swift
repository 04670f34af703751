// Streams of codecs that the container tells and this FFmpeg is too old to know there.

internal import CFFmpeg

/// Names streams that FFmpeg guessed at, so that a plugin or an error can tell what they are.
enum NewerCodecs {
    /// What a stream type of MPEG-TS stands for (ISO/IEC 13818-1, table 2-34).
    private static let streamTypes: [UInt32: AVCodecID] = [0x33: AV_CODEC_ID_VVC]

    /// Corrects the streams of an opened container.
    static func name(_ context: UnsafeMutablePointer<AVFormatContext>) {
        guard let format = context.pointee.iformat, String(cString: format.pointee.name) == "mpegts"
        else { return }
        for index in 0..<Int(context.pointee.nb_streams) {
            guard let parameters = context.pointee.streams[index]?.pointee.codecpar,
                let codec = streamTypes[parameters.pointee.codec_tag],
                parameters.pointee.codec_id != codec
            else { continue }
            // What was found out by guessing at another codec goes too.
            var clean = avcodec_parameters_alloc()
            defer { avcodec_parameters_free(&clean) }
            guard let clean else { fatalError("out of memory") }
            clean.pointee.codec_type = AVMEDIA_TYPE_VIDEO
            clean.pointee.codec_id = codec
            clean.pointee.codec_tag = parameters.pointee.codec_tag
            avcodec_parameters_copy(parameters, clean)
        }
    }

    /// Whether a stream was named here, or would be: its size is not known.
    static func isNamed(_ parameters: AVCodecParameters) -> Bool {
        streamTypes[parameters.codec_tag] == parameters.codec_id
    }
}
