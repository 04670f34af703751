// Files and standard input as media.

public import MediaCore
internal import MediaIO
public import MediaModel

/// Opens paths, `file:` URLs and `-`, and leaves the container to the surest demuxer.
public struct FileSource: MediaSourcePlugin {
    private static let headSize = 16 * 1024

    /// Makes the descriptor; nothing is opened.
    public init() {}

    /// `file`.
    public var info: PluginInfo {
        PluginInfo(name: "file", summary: "Opens files, and standard input as '-'.")
    }

    /// Everything that doesn't name another scheme.
    public func score(url: String) -> Int {
        if url == "-" || url.hasPrefix("file:") { return 100 }
        return url.contains("://") ? 0 : 10
    }

    /// Opens the bytes and the container in them.
    public func open(
        _ url: String, _ context: SourceContext
    ) throws(MediaError) -> sending any MediaSource {
        let bytes = try FileSource.bytes(url, context)
        let head = bytes.head
        let name = url.printable
        let demuxers = try context.registry.demuxers(head: head, url: url, bytes: bytes)
        guard let demuxer = demuxers.first else {
            let reason =
                context.registry.switchedOff(.demuxer) {
                    ($0 as? any DemuxerPlugin)?.score(head: head, url: url) ?? 0 > 0
                } ?? "no plugin reads such a file"
            throw MediaError(.containerUnsupported, "open \(name): \(reason)")
        }
        do throws(MediaError) {
            return try demuxer.open(bytes, url: url, context)
        } catch {
            guard error.code == .containerMalformed,
                let announced = AnnouncedSource(head: head, url: url, context.registry)
            else { throw error }
            return announced
        }
    }

    private static func bytes(
        _ url: String, _ context: SourceContext
    ) throws(MediaError) -> sending ReplayDataSource {
        if url == "-" {
            let source = try ReplayDataSource(
                PipeDataSource(context.cancellation), peeking: headSize)
            if source.head.isEmpty {
                throw MediaError(.containerMalformed, "open standard input: it is empty")
            }
            return source
        }
        let path = try FileURL.path(of: url)
        if try context.files.facts(of: path)?.kind == .other {
            return try ReplayDataSource(
                PipeDataSource(opening: context.files.resolve(path), context.cancellation),
                peeking: headSize)
        }
        return try ReplayDataSource(FileDataSource(path, context.files), peeking: headSize)
    }
}
