// A decoder of libavcodec whose pictures are made on a device and fetched from there.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// Decodes on a device; pictures come in system memory, in the format software gives.
///
/// Where libavcodec finds that the device doesn't do a stream, it fails instead of going on in
/// software by itself: who switches is `SwitchingDecoder`. Threading: confined.
final class LibAVHardwareDecoder: Decoder {
    /// What libavcodec's choice of a format needs and tells.
    private final class Choice {
        let wanted: AVPixelFormat
        var isRefused = false
        init(_ wanted: AVPixelFormat) { self.wanted = wanted }
    }

    private let stream: StreamInfo
    private let device: HardwareDevice
    private let probe: HardwareProbe
    private let choice: Choice
    private let decoder: LibAVDecoder
    private var converter: LibAVVideoConverter?

    init(
        _ stream: StreamInfo, on device: HardwareDevice, of probe: HardwareProbe,
        format: AVPixelFormat
    ) throws(MediaError) {
        let choice = Choice(format)
        self.stream = stream
        self.device = device
        self.probe = probe
        self.choice = choice
        decoder = try LibAVDecoder(stream, threads: 1) { context in
            context.pointee.hw_device_ctx = av_buffer_ref(device.reference)
            context.pointee.opaque = Unmanaged.passUnretained(choice).toOpaque()
            context.pointee.get_format = { context, formats in
                guard let opaque = context?.pointee.opaque, var format = formats else {
                    return AV_PIX_FMT_NONE
                }
                let choice = Unmanaged<Choice>.fromOpaque(opaque).takeUnretainedValue()
                while format.pointee != AV_PIX_FMT_NONE {
                    if format.pointee == choice.wanted { return choice.wanted }
                    format += 1
                }
                choice.isRefused = true
                return AV_PIX_FMT_NONE
            }
        }
    }

    func send(_ packet: Packet?) throws(MediaError) {
        do {
            try decoder.send(packet)
        } catch {
            throw judged(error)
        }
    }

    func receive() throws(MediaError) -> Pull<Frame> {
        do {
            switch try decoder.receive() {
            case .value(let frame): return .value(try fetched(frame))
            case .needsInput: return .needsInput
            case .endOfStream: return .endOfStream
            }
        } catch {
            throw judged(error)
        }
    }

    func flush() { decoder.flush() }

    /// What an error means for the next streams on this device.
    private func judged(_ error: MediaError) -> MediaError {
        guard choice.isRefused else {
            if error.underlying?.code != Int(AVResult.invalid) {
                probe.forget(device)
            }
            return error
        }
        probe.refuse(device.type, stream.parameters)
        let profile = stream.parameters.profile.map { " \($0)" } ?? ""
        return MediaError(
            .decodeFailed, "\(stream.parameters.codecName)\(profile) is not decoded there",
            underlying: error.underlying)
    }

    /// A picture in system memory, in the format that software gives.
    private func fetched(_ frame: Frame) throws(MediaError) -> Frame {
        guard let pool = frame.avFrame.pointee.hw_frames_ctx else { return frame }
        guard let target = av_frame_alloc() else { fatalError("out of memory") }
        let picture = Frame(owning: target, timeBase: frame.timeBase)
        let wanted = decoder.softwareFormat
        if LibAVHardwareDecoder.formats(of: pool).contains(wanted) {
            target.pointee.format = wanted.rawValue
        }
        let action = "fetch a picture from \(device.name)"
        try avCheck(
            av_hwframe_transfer_data(target, frame.avFrame, 0), action, else: .decodeFailed)
        try avCheck(av_frame_copy_props(target, frame.avFrame), action, else: .decodeFailed)
        guard target.pointee.format != wanted.rawValue, let name = av_get_pix_fmt_name(wanted)
        else { return picture }
        let converter = self.converter ?? LibAVVideoConverter([String(cString: name)])
        self.converter = converter
        return try converter.convert(picture)
    }

    /// The formats in which pictures can be fetched from a device.
    private static func formats(of pool: UnsafeMutablePointer<AVBufferRef>) -> [AVPixelFormat] {
        var list: UnsafeMutablePointer<AVPixelFormat>?
        guard
            av_hwframe_transfer_get_formats(pool, AV_HWFRAME_TRANSFER_DIRECTION_FROM, &list, 0)
                >= 0,
            let list
        else { return [] }
        defer { av_free(list) }
        var formats: [AVPixelFormat] = []
        while list[formats.count] != AV_PIX_FMT_NONE { formats.append(list[formats.count]) }
        return formats
    }
}

@available(*, unavailable)
extension LibAVHardwareDecoder: Sendable {}
