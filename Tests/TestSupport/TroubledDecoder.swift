// A decoder of one codec that is slow, or that gives up.

internal import Glibc
public import MediaCore
public import MediaModel

/// Decodes one codec as another plugin does, with trouble.
///
/// Thread-safety: safe.
public final class TroubledDecoder: DecoderPlugin {
    /// What goes wrong.
    public enum Trouble: Sendable {
        /// Each packet takes so long.
        case slow(MediaTime)
        /// After so many packets nothing works any more; 0 for not even opening.
        case broken(after: Int, MediaError)
    }

    private let inner: any DecoderPlugin
    private let codec: String
    private let trouble: Trouble

    /// Puts trouble before a plugin.
    public init(_ inner: any DecoderPlugin, codec: String, _ trouble: Trouble) {
        self.inner = inner
        self.codec = codec
        self.trouble = trouble
    }

    /// `troubled`, before all others.
    public var info: PluginInfo {
        PluginInfo(name: "troubled", summary: "Decodes with trouble.", rank: 60)
    }

    /// One codec.
    public func supports(_ parameters: CodecParameters) -> Bool {
        parameters.codecName == codec && inner.supports(parameters)
    }

    /// The plugin's decoder with trouble.
    public func makeDecoder(
        _ stream: StreamInfo, _ request: DecoderRequest
    ) throws(MediaError) -> sending any Decoder {
        if case .broken(0, let error) = trouble { throw error }
        return Slow(try inner.makeDecoder(stream, DecoderRequest(threads: 1)), trouble)
    }

    private final class Slow: Decoder {
        private let inner: any Decoder
        private let trouble: Trouble
        private var packets = 0

        init(_ inner: any Decoder, _ trouble: Trouble) {
            self.inner = inner
            self.trouble = trouble
        }

        func send(_ packet: Packet?) throws(MediaError) {
            packets += 1
            switch trouble {
            case .slow(let time): usleep(UInt32(time.nanoseconds / 1000))
            case .broken(let count, let error): if packets > count { throw error }
            }
            try inner.send(packet)
        }

        func receive() throws(MediaError) -> Pull<Frame> { try inner.receive() }

        func flush() { inner.flush() }
    }
}
