// Sound and pictures that libavfilter makes, as a medium.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// A graph of libavfilter sources read as uncompressed packets.
///
/// Each open output (`[out0]`, `[out1]`, or one without a label) is a stream; sources may be
/// endless. Threading: confined.
final class SynthSource: MediaSource {
    private(set) var info: MediaInfo
    private let text: String
    private let cancellation: CancellationToken
    private var graph: SynthGraph?
    private var selected: Set<Int>
    private var pending: Packet?

    init(url: String, text: String, _ cancellation: CancellationToken) throws(MediaError) {
        self.text = text
        self.cancellation = cancellation
        let graph = try SynthGraph(text)
        self.graph = graph
        selected = Set(graph.outputs.indices)
        info = MediaInfo(
            url: url, containerName: "synth", duration: nil, isSeekable: true,
            streams: graph.outputs.enumerated().map { $1.stream(index: $0) })
    }

    func select(_ streams: Set<Int>) {
        selected = streams
        if let packet = pending, !streams.contains(packet.streamIndex) { pending = nil }
    }

    func readPacket() throws(MediaError) -> Packet? {
        if let packet = pending {
            pending = nil
            return packet
        }
        while let graph {
            try cancellation.check()
            guard let (packet, index) = try graph.next() else { return nil }
            if selected.contains(index) { return packet }
        }
        return nil
    }

    func seek(to time: MediaTime) throws(MediaError) -> MediaTime {
        let graph = try SynthGraph(text)
        self.graph = graph
        pending = nil
        while let packet = try readPacket() {
            let end = packet.timeBase.time(ticks: (packet.pts ?? 0) + packet.duration)
            if end > time || (packet.time ?? .zero) >= time {
                pending = packet
                return packet.time ?? .zero
            }
        }
        return time
    }

    func close() {
        graph = nil
        pending = nil
    }
}

@available(*, unavailable)
extension SynthSource: Sendable {}
