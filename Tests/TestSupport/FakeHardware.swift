// A device that decodes as software does, until it fails as a test wants.

public import MediaCore
public import MediaModel
internal import Synchronization

/// When and how a device fails; counts begin anew at each decoder, not at a flush.
public enum DeviceFault: Equatable, Sendable {
    /// It works.
    case never
    /// It can't be opened.
    case open
    /// Asked for a picture after so many, it reports an error.
    case frame(Int)
    /// It refuses a packet after so many.
    case packet(Int)
    /// It reports an error when it is drained.
    case drain
    /// After so many pictures it takes packets and gives nothing.
    case silence(Int)
    /// Asked for a picture after so many, it does not answer until the gate is open.
    case hang(Int, Gate)
}

/// Decodes what another plugin decodes, on devices that fail.
///
/// Thread-safety: safe.
public final class FakeHardware: DecoderPlugin, HardwareDevices {
    private let inner: any DecoderPlugin
    private let faults: [(device: String, fault: DeviceFault)]
    private let code: MediaError.Code
    private let opened = Mutex<[String]>([])

    /// Puts devices before a plugin.
    public init(
        _ inner: any DecoderPlugin, _ faults: [(device: String, fault: DeviceFault)],
        code: MediaError.Code = .decodeFailed
    ) {
        self.inner = inner
        self.faults = faults
        self.code = code
    }

    /// `fakehw`, before all others.
    public var info: PluginInfo {
        PluginInfo(name: "fakehw", summary: "Decodes on devices that fail.", rank: 50)
    }

    /// The devices on which decoders were made, in order.
    public var uses: [String] { opened.withLock { $0 } }
    /// Itself.
    public var hardware: (any HardwareDevices)? { self }
    /// What the plugin behind it does.
    public func supports(_ parameters: CodecParameters) -> Bool { inner.supports(parameters) }
    /// Every device, for pictures.
    public func candidates(for stream: StreamInfo) -> [String] {
        stream.kind == .video ? faults.map(\.device) : []
    }

    /// Software, by the plugin behind it.
    public func makeDecoder(
        _ stream: StreamInfo, _ request: DecoderRequest
    ) throws(MediaError) -> sending any Decoder {
        try inner.makeDecoder(stream, request)
    }

    /// The plugin's decoder with a fault.
    public func makeDecoder(
        _ stream: StreamInfo, on device: String
    ) throws(MediaError) -> sending any Decoder {
        let fault = faults.first { $0.device == device }?.fault ?? .open
        opened.withLock { $0.append(device) }
        if fault == .open { throw MediaError(code, "no such device") }
        let decoder = try inner.makeDecoder(stream, DecoderRequest(threads: 1))
        return FaultyDecoder(decoder, fault, code)
    }
}

/// A decoder that fails once and for all.
private final class FaultyDecoder: Decoder {
    private let inner: any Decoder
    private let fault: DeviceFault
    private let code: MediaError.Code
    private var frames = 0
    private var packets = 0

    init(_ inner: any Decoder, _ fault: DeviceFault, _ code: MediaError.Code) {
        self.inner = inner
        self.fault = fault
        self.code = code
    }

    private var failure: MediaError { MediaError(code, "the device is lost") }

    func send(_ packet: Packet?) throws(MediaError) {
        if packet == nil, fault == .drain { throw failure }
        if case .packet(let limit) = fault, packet != nil, packets >= limit { throw failure }
        packets += 1
        try inner.send(packet)
    }

    func receive() throws(MediaError) -> Pull<Frame> {
        if case .frame(let limit) = fault, frames >= limit { throw failure }
        if case .hang(let limit, let gate) = fault, frames >= limit {
            try gate.pass(CancellationToken())
        }
        let answer = try inner.receive()
        guard case .value = answer else { return answer }
        if case .silence(let limit) = fault, frames >= limit { return .needsInput }
        frames += 1
        return answer
    }

    func flush() { inner.flush() }
}
