// Which devices can decode a stream with libavcodec, and decoders on them.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// The devices that libavutil opens on this machine and libavcodec decodes on.
///
/// Thread-safety: safe.
struct LibAVHardware: HardwareDevices {
    /// What is known of the machine.
    var probe = HardwareProbe.shared

    func candidates(for stream: StreamInfo) -> [String] {
        types(for: stream).compactMap { av_hwdevice_get_type_name($0).map { String(cString: $0) } }
    }

    func makeDecoder(
        _ stream: StreamInfo, on device: String
    ) throws(MediaError) -> sending any Decoder {
        AVLogBridge.install()
        let type = av_hwdevice_find_type_by_name(device)
        guard let format = LibAVHardware.format(stream.parameters, on: type),
            let opened = probe.device(type)
        else {
            throw MediaError(
                .decoderNotFound, "\(stream.parameters.codecName) is not decoded on \(device)")
        }
        return try LibAVHardwareDecoder(stream, on: opened, of: probe, format: format)
    }

    /// The kinds of devices that may decode a stream, best first.
    private func types(for stream: StreamInfo) -> [AVHWDeviceType] {
        guard stream.kind == .video else { return [] }
        return HardwareProbe.types.filter { type in
            LibAVHardware.format(stream.parameters, on: type) != nil && probe.mayHave(type)
                && !probe.hasRefused(type, stream.parameters)
        }
    }

    /// The format of pictures on a kind of device; nil where the codec is not decoded there.
    private static func format(
        _ parameters: CodecParameters, on type: AVHWDeviceType
    ) -> AVPixelFormat? {
        guard let codec = avcodec_find_decoder(parameters.avParameters.pointee.codec_id) else {
            return nil
        }
        var index: Int32 = 0
        while let config = avcodec_get_hw_config(codec, index)?.pointee {
            if config.device_type == type, config.methods & mk_hw_device_method != 0 {
                return config.pix_fmt
            }
            index += 1
        }
        return nil
    }
}
