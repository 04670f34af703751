// Which codecs keep all of the sound they get.

internal import CFFmpeg

extension CodecParameters {
    /// Whether a codec gives back every sample; nil where FFmpeg does not know it.
    ///
    /// - Parameter name: FFmpeg's name of the codec.
    package static func isLossless(_ name: String) -> Bool? {
        guard let descriptor = avcodec_descriptor_get_by_name(name) else { return nil }
        return descriptor.pointee.props & AV_CODEC_PROP_LOSSLESS != 0
    }
}
