// The hardware devices of this machine that libavutil can open, found out once.

internal import CFFmpeg
internal import Glibc
internal import MediaCore
internal import MediaModel
internal import Synchronization

/// A device that is open for the rest of the process.
///
/// Thread-safety: safe; libavutil counts references to it atomically.
final class HardwareDevice: @unchecked Sendable {
    // Unchecked: the reference is never changed, and decoders make their own of it.
    let reference: UnsafeMutablePointer<AVBufferRef>
    let type: AVHWDeviceType

    fileprivate init(owning reference: UnsafeMutablePointer<AVBufferRef>, _ type: AVHWDeviceType) {
        self.reference = reference
        self.type = type
    }

    deinit {
        var reference: UnsafeMutablePointer<AVBufferRef>? = reference
        av_buffer_unref(&reference)
    }

    /// libavutil's name of it: `vaapi`, `cuda`, ….
    var name: String { av_hwdevice_get_type_name(type).map { String(cString: $0) } ?? "unknown" }
}

/// Opens devices at their first use and keeps them, or that they can't be opened.
///
/// Thread-safety: safe; who comes first opens a device, others wait for that.
final class HardwareProbe: Sendable {
    /// The one of this process.
    static let shared = HardwareProbe()

    private struct State: Sendable {
        /// What came of opening a device; nil where it failed.
        var devices: [UInt32: HardwareDevice?] = [:]
        /// What a device refused: codec and profile.
        var refused: Set<Refusal> = []
    }

    private struct Refusal: Hashable, Sendable {
        var device: UInt32
        var codec: UInt32
        var profile: Int32
    }

    /// Devices that decode well come first; those that are not named follow.
    private static let order = ["cuda", "vaapi", "vdpau", "drm", "vulkan"]

    private let state = Mutex(State())

    /// The kinds of devices that this build of libavutil knows, best first.
    static let types: [AVHWDeviceType] = {
        var types: [AVHWDeviceType] = []
        var type = av_hwdevice_iterate_types(AV_HWDEVICE_TYPE_NONE)
        while type != AV_HWDEVICE_TYPE_NONE {
            types.append(type)
            type = av_hwdevice_iterate_types(type)
        }
        let ranked = types.map { type -> (type: AVHWDeviceType, place: Int) in
            let name = av_hwdevice_get_type_name(type).map { String(cString: $0) } ?? ""
            return (type, order.firstIndex(of: name) ?? order.count)
        }
        return ranked.enumerated()
            .sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }
            .map(\.element.type)
    }()

    /// The device of a kind, opened at the first call; nil where it can't be.
    func device(_ type: AVHWDeviceType) -> HardwareDevice? {
        state.withLock { state in
            if let known = state.devices[type.rawValue] { return known }
            let device = HardwareProbe.isWorthATry(type) ? HardwareProbe.open(type) : nil
            state.devices[type.rawValue] = .some(device)
            return device
        }
    }

    /// Opens the device anew at its next use: it failed, and may do so for good.
    func forget(_ device: HardwareDevice) {
        state.withLock { state in
            if case .some(.some(let known)) = state.devices[device.type.rawValue], known === device
            {
                state.devices[device.type.rawValue] = nil
            }
        }
    }

    /// Whether a device has refused such a stream.
    func hasRefused(_ type: AVHWDeviceType, _ parameters: CodecParameters) -> Bool {
        let refusal = HardwareProbe.refusal(type, parameters)
        return state.withLock { $0.refused.contains(refusal) }
    }

    /// Notes that a device does not decode such streams.
    func refuse(_ type: AVHWDeviceType, _ parameters: CodecParameters) {
        let refusal = HardwareProbe.refusal(type, parameters)
        state.withLock { _ = $0.refused.insert(refusal) }
    }

    private static func refusal(
        _ type: AVHWDeviceType, _ parameters: CodecParameters
    ) -> Refusal {
        Refusal(
            device: type.rawValue, codec: parameters.avParameters.pointee.codec_id.rawValue,
            profile: parameters.avParameters.pointee.profile)
    }

    private static func open(_ type: AVHWDeviceType) -> HardwareDevice? {
        AVLogBridge.install()
        var reference: UnsafeMutablePointer<AVBufferRef>?
        let result = av_hwdevice_ctx_create(&reference, type, nil, nil, 0)
        guard result >= 0, let reference else {
            let name = av_hwdevice_get_type_name(type).map { String(cString: $0) } ?? "unknown"
            let error = MediaError.av(result, "open device \(name)", else: .decodeFailed)
            Log.debug("libav", error.message)
            return nil
        }
        return HardwareDevice(owning: reference, type)
    }

    /// Spares what can't succeed: loading drivers costs time, on a machine without a device too.
    private static func isWorthATry(_ type: AVHWDeviceType) -> Bool {
        let hasDisplay = getenv("DISPLAY") != nil || getenv("WAYLAND_DISPLAY") != nil
        let hasNode = exists("/dev/dri")
        switch type {
        case AV_HWDEVICE_TYPE_VAAPI: return hasNode || hasDisplay
        case AV_HWDEVICE_TYPE_VDPAU: return getenv("DISPLAY") != nil
        case AV_HWDEVICE_TYPE_DRM, AV_HWDEVICE_TYPE_QSV: return hasNode
        case AV_HWDEVICE_TYPE_VULKAN, AV_HWDEVICE_TYPE_OPENCL:
            return hasNode || exists("/dev/nvidiactl") || exists("/dev/dxg")
        default: return true
        }
    }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
