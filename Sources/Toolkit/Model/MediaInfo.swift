// What is known of an opened medium.

public import MediaCore

/// A named part of a medium.
public struct Chapter: Hashable, Sendable {
    /// The container's number of it.
    public var id: Int64
    /// Where it begins.
    public var start: MediaTime
    /// Where it ends.
    public var end: MediaTime
    /// Its metadata; `title` is the usual name.
    public var metadata: [MetadataEntry]

    /// Gathers the facts.
    public init(id: Int64, start: MediaTime, end: MediaTime, metadata: [MetadataEntry]) {
        self.id = id
        self.start = start
        self.end = end
        self.metadata = metadata
    }
}

/// Container, streams, chapters and metadata of a medium.
public struct MediaInfo: Sendable {
    /// Where it came from, as it was asked for.
    public var url: String
    /// FFmpeg's short name of the container: `mov,mp4,m4a,3gp,3g2,mj2`, `flac`, ….
    public var containerName: String
    /// How long it lasts; nil where unknown.
    public var duration: MediaTime?
    /// The container's timestamp of its beginning, usually zero; packets count from there, while
    /// chapters and seeks count from the beginning itself.
    public var startTime: MediaTime
    /// Bits a second over all; nil where unknown.
    public var bitRate: Int?
    /// Size in bytes; nil where unknown.
    public var size: Int64?
    /// Whether it can be sought in.
    public var isSeekable: Bool
    /// The streams, by index.
    public var streams: [StreamInfo]
    /// The chapters, in order.
    public var chapters: [Chapter]
    /// Metadata of the whole.
    public var metadata: [MetadataEntry]

    /// Gathers the facts.
    public init(
        url: String, containerName: String, duration: MediaTime?, startTime: MediaTime = .zero,
        bitRate: Int? = nil, size: Int64? = nil, isSeekable: Bool, streams: [StreamInfo],
        chapters: [Chapter] = [], metadata: [MetadataEntry] = []
    ) {
        self.url = url
        self.containerName = containerName
        self.duration = duration
        self.startTime = startTime
        self.bitRate = bitRate
        self.size = size
        self.isSeekable = isSeekable
        self.streams = streams
        self.chapters = chapters
        self.metadata = metadata
    }

    /// The stream to play of a kind: the first marked default, else the first; cover pictures never.
    public func bestStream(_ kind: MediaKind) -> StreamInfo? {
        let candidates = streams.filter { $0.kind == kind && !$0.isAttachedPicture }
        return candidates.first { $0.isDefault } ?? candidates.first
    }
}
