// A film with sound whose pictures are called VVC, and a decoder for them that counts its uses.

import LibAV
import MediaCore
import MediaModel
import Synchronization
import TestSupport

/// Opens `vvc:PATH` as the file at PATH with its pictures under the name of another codec.
struct DressedSourcePlugin: MediaSourcePlugin {
    let info = PluginInfo(name: "dressed", summary: "Calls pictures VVC.")

    func score(url: String) -> Int { url.hasPrefix("vvc:") ? 100 : 0 }

    func open(
        _ url: String, _ context: SourceContext
    ) throws(MediaError) -> sending any MediaSource {
        DressedSource(try context.registry.openSource(String(url.dropFirst(4)), context))
    }
}

private final class DressedSource: MediaSource {
    let info: MediaInfo
    private let inner: any MediaSource

    init(_ inner: any MediaSource) {
        self.inner = inner
        var info = inner.info
        for index in info.streams.indices where info.streams[index].kind == .video {
            var description = CodecDescription(kind: .video, codecName: "vvc")
            (description.width, description.height) = (160, 120)
            info.streams[index].parameters = CodecParameters(description)
        }
        self.info = info
    }

    func select(_ streams: Set<Int>) { inner.select(streams) }
    func readPacket() throws(MediaError) -> Packet? { try inner.readPacket() }
    func seek(to time: MediaTime) throws(MediaError) -> MediaTime { try inner.seek(to: time) }
    func close() { inner.close() }
}

/// Decodes what is called VVC as what it is.
final class DressedDecoderPlugin: DecoderPlugin {
    let info = PluginInfo(name: "dressed", summary: "Decodes what is called VVC.")
    private let real: StreamInfo
    private let count = Mutex(0)

    init(_ real: StreamInfo) { self.real = real }

    /// How many decoders were made.
    var made: Int { count.withLock { $0 } }

    func supports(_ parameters: CodecParameters) -> Bool { parameters.codecName == "vvc" }

    func makeDecoder(
        _ stream: StreamInfo, _ request: DecoderRequest
    ) throws(MediaError) -> sending any Decoder {
        count.withLock { $0 += 1 }
        return try LibAVDecoderPlugin().makeDecoder(real, request)
    }
}
