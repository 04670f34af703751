// Raw VVC where nothing reads it: what it is can be told, and what to do.

internal import MediaCore
internal import MediaModel

/// A medium of one stream whose codec is known and whose packets nobody can find.
///
/// Who opens it learns which codec no decoder is there for, as in a container. Threading: confined.
final class AnnouncedSource: MediaSource {
    let info: MediaInfo

    /// Takes the first bytes of a file that no demuxer has opened; nil where they are not raw VVC,
    /// or where something decodes VVC, so that the reason is another one.
    init?(head: [UInt8], url: String, _ registry: PluginRegistry) {
        let parameters = CodecParameters(CodecDescription(kind: .video, codecName: "vvc"))
        let stream = StreamInfo(index: 0, parameters: parameters, timeBase: TimeBase(1, 90_000))
        guard AnnouncedSource.isVVC(head), (try? registry.decoder(for: stream)) == nil else {
            return nil
        }
        info = MediaInfo(
            url: url, containerName: "vvc", duration: nil, isSeekable: false, streams: [stream])
    }

    /// Whether bytes begin with a NAL unit that may stand first: a parameter set, a delimiter, or
    /// information on decoding (ITU-T H.266, 7.4.2.2 and annex B).
    private static func isVVC(_ head: [UInt8]) -> Bool {
        let zeros = head.prefix { $0 == 0 }.count
        guard zeros >= 2, head.count > zeros + 3, head[zeros] == 1 else { return false }
        let (first, second) = (head[zeros + 1], head[zeros + 2])
        // Layer 0, and of the lowest temporal sublayer.
        return first == 0 && second & 7 == 1 && [12, 13, 14, 15, 20].contains(second >> 3)
    }

    func select(_ streams: Set<Int>) {}

    func readPacket() throws(MediaError) -> Packet? {
        throw MediaError(
            .containerUnsupported,
            "read \(info.url.printable): no plugin that is loaded reads raw VVC")
    }

    func seek(to time: MediaTime) throws(MediaError) -> MediaTime {
        throw MediaError(
            .inputFailed, "seek in \(info.url.printable): the source can't be sought in")
    }

    func close() {}
}

@available(*, unavailable)
extension AnnouncedSource: Sendable {}
