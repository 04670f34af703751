// Decodes and filters one stream of sound for a program that wants its samples.

public import MediaCore
public import MediaModel

/// What a frame reader is asked to read.
public struct FrameRequest: Sendable {
    /// The input.
    public var url: String
    /// Where reading begins; nil for the start.
    public var start: MediaTime?
    /// How much is read; nil for all.
    public var duration: MediaTime?
    /// What the sound passes before it is handed over.
    public var chain: FilterChain
    /// The formats wanted; planar Float32 at any rate and layout unless changed.
    public var accepting = AudioFormatSet(sampleFormats: [.fltp])
    /// Which stream of sound is read.
    public var audio = AudioSelection.best
    /// Whether decoding has a thread of its own beside the caller's.
    public var threading = Threading.pipelined

    /// Describes the work.
    public init(
        url: String, start: MediaTime? = nil, duration: MediaTime? = nil,
        chain: FilterChain = FilterChain()
    ) {
        self.url = url
        self.start = start
        self.duration = duration
        self.chain = chain
    }
}

/// What came of reading.
public struct FrameReport: Sendable {
    /// The input.
    public var input: MediaInfo
    /// The stream that was read.
    public var stream: StreamInfo
    /// The format of the frames handed over.
    public var format: AudioFormat
    /// Samples of each channel handed over.
    public var samples: Int
    /// Damaged packets and timestamps that were mended.
    public var warnings: [String]
}

/// Reads the sound of a medium frame by frame.
///
/// Threading: `run` blocks; frames are handed over on the thread that called it, in order.
public struct FrameReader: Sendable {
    private let request: FrameRequest
    private let registry: PluginRegistry
    private let files: any FileSystem

    /// Prepares; nothing is opened yet.
    public init(
        _ request: FrameRequest, registry: PluginRegistry,
        files: any FileSystem = SystemFileSystem()
    ) {
        self.request = request
        self.registry = registry
        self.files = files
    }

    /// Reads to the end and hands each frame to `receive`.
    ///
    /// - Throws: `no-such-stream` where there is no sound, `cancelled`, whatever the input or
    ///   `receive` reports.
    public func run(
        cancellation: CancellationToken = CancellationToken(),
        progress: @Sendable (_ position: MediaTime, _ duration: MediaTime?) -> Void = { _, _ in },
        _ receive: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) -> FrameReport {
        throw MediaError(.internalError, "reading frames is not built in")
    }
}
