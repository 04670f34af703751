// The hardware devices of this machine that libavutil can open, found out once.

internal import CFFmpeg
internal import Glibc
internal import MediaCore
internal import MediaModel

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
/// Thread-safety: safe.
final class HardwareProbe: Sendable {
    /// The one of this process.
    static let shared = HardwareProbe(opening: HardwareProbe.open)

    private enum Finding: Sendable {
        case absent
        case open(HardwareDevice)
        /// A thread opens it, since then.
        case opening(MediaTime)
    }

    private struct State: Sendable {
        var devices: [UInt32: Finding] = [:]
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

    /// A driver that takes longer to open a device is not waited for again.
    private static let patience = MediaTime(seconds: 5)

    private let state = Monitor(State())
    private let open: @Sendable (AVHWDeviceType) -> HardwareDevice?

    /// Takes the function that opens a device; it may block.
    init(opening open: @escaping @Sendable (AVHWDeviceType) -> HardwareDevice?) {
        self.open = open
    }

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
    ///
    /// Blocks as long as the driver takes: who comes first opens it, others wait for that.
    func device(_ type: AVHWDeviceType) -> HardwareDevice? {
        let known = state.wait { state -> Finding? in
            switch state.devices[type.rawValue] {
            case .opening: return nil
            case .some(let finding): return finding
            case nil:
                let now = SystemTimeSource().now
                state.devices[type.rawValue] = .opening(now)
                return .opening(now)
            }
        }
        switch known {
        case .open(let device): return device
        case .absent, nil: return nil
        case .opening:
            let device = open(type)
            state.withLock { $0.devices[type.rawValue] = device.map { .open($0) } ?? .absent }
            return device
        }
    }

    /// Whether it is worth the time to ask for a device of this kind, without waiting for one.
    func mayHave(_ type: AVHWDeviceType) -> Bool {
        let finding = state.withLock { $0.devices[type.rawValue] }
        switch finding {
        case nil: return HardwareProbe.isWorthATry(type)
        case .absent: return false
        case .open: return true
        case .opening(let since): return SystemTimeSource().now - since < HardwareProbe.patience
        }
    }

    /// Opens the device anew at its next use: it failed, and may do so for good.
    func forget(_ device: HardwareDevice) {
        state.withLock { state in
            if case .open(let known) = state.devices[device.type.rawValue], known === device {
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
