// Packets into a container.

public import MediaCore

/// What a muxer is asked to write.
public struct MuxerRequest: Sendable {
    /// FFmpeg's short name of the container; nil to infer it from `path`.
    public var container: String?
    /// The final name, for inference and messages (`image2` uses it as the pattern).
    public var path: String
    /// Private options of the muxer, by FFmpeg's names.
    public var options: [String: String]
    /// Leaves out what differs between runs and versions (encoder names, dates).
    public var isBitExact: Bool

    /// Asks for a muxer.
    public init(
        container: String? = nil, path: String, options: [String: String] = [:],
        isBitExact: Bool = false
    ) {
        self.container = container
        self.path = path
        self.options = options
        self.isBitExact = isBitExact
    }
}

/// What a container can take and what it takes by default.
public struct ContainerFacts: Sendable {
    /// FFmpeg's short name.
    public var name: String
    /// The encoder chosen where none is named, by kind; nil where the container takes none.
    public var defaultEncoders: [MediaKind: String]
    /// Whether codec headers are kept apart from the packets.
    public var wantsGlobalHeader: Bool
    /// Whether it is a file that is written at several places (needs a seekable output).
    public var needsSeekableOutput: Bool
    /// Whether it writes its own files (`image2`), so that no `OpenFile` is given.
    public var writesOwnFiles: Bool
    /// Whether it keeps one stream of sound at most.
    public var isForOneSound: Bool
    /// Whether it keeps chapters; true where nobody knows.
    package var keepsChapters = true
    /// Whether it says that pictures are to be turned; true where nobody knows.
    package var keepsRotation = true

    /// Gathers the facts.
    public init(
        name: String, defaultEncoders: [MediaKind: String], wantsGlobalHeader: Bool,
        needsSeekableOutput: Bool, writesOwnFiles: Bool,
        isForOneSound: Bool = false
    ) {
        self.name = name
        self.defaultEncoders = defaultEncoders
        self.wantsGlobalHeader = wantsGlobalHeader
        self.needsSeekableOutput = needsSeekableOutput
        self.writesOwnFiles = writesOwnFiles
        self.isForOneSound = isForOneSound
    }
}

/// One output stream of a muxer.
public struct MuxerStream: Sendable {
    /// Codec and format of its packets.
    public var parameters: CodecParameters
    /// What one tick of its packets lasts.
    public var timeBase: TimeBase
    /// The input stream whose metadata, disposition and side data it keeps.
    public var template: StreamInfo?
    /// Frames a second of video.
    public var frameRate: Ratio?

    /// Describes an output stream.
    public init(
        parameters: CodecParameters, timeBase: TimeBase, template: StreamInfo?,
        frameRate: Ratio? = nil
    ) {
        self.parameters = parameters
        self.timeBase = timeBase
        self.template = template
        self.frameRate = frameRate
    }
}

/// Packets of several streams in, one file out.
///
/// Order: `addStream` for each, `writeHeader`, `write` in decoding order of each stream (streams are
/// interleaved inside), `finish`. Threading: one call at a time.
public protocol Muxer: AnyObject {
    /// Adds a stream and gives its index; `container-unsupported` where the container can't take it.
    func addStream(_ stream: MuxerStream) throws(MediaError) -> Int
    /// Writes what comes before the packets.
    func writeHeader(metadata: [MetadataEntry], chapters: [Chapter]) throws(MediaError)
    /// Takes a packet of a stream; its timestamps are in the packet's own time base.
    func write(_ packet: Packet, stream: Int) throws(MediaError)
    /// Writes what comes after the packets; the output is complete then.
    func finish() throws(MediaError)
}
