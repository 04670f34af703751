// Where packets come from.

public import MediaCore

/// How exactly a seek lands.
public enum SeekPrecision: String, CaseIterable, Sendable {
    /// At the last keyframe at or before the target.
    case keyframe
    /// At the target: frames before it are decoded and dropped.
    case exact
}

/// Bytes of one medium.
///
/// Threading: confined to the thread that reads; `read` may block and is woken by the cancellation
/// token it was made with.
public protocol DataSource: AnyObject {
    /// The size in bytes; nil where unknown (pipes).
    var length: Int64? { get }
    /// Whether `seek` works.
    var isSeekable: Bool { get }
    /// Reads at the position; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int
    /// Moves the position; at or past the end, the next read gives 0.
    func seek(to offset: Int64) throws(MediaError)
    /// Frees what it holds; later calls do nothing.
    func close()
}

/// One opened medium that gives packets.
///
/// Threading: confined to the thread that reads.
public protocol MediaSource: AnyObject {
    /// Streams, duration, metadata.
    var info: MediaInfo { get }
    /// Gives packets of these streams only, by index; all at first.
    func select(_ streams: Set<Int>)
    /// The next packet in the order of the container; nil at the end.
    func readPacket() throws(MediaError) -> Packet?
    /// Moves to the keyframe at or before `time` and gives where reading goes on, both counted from
    /// the beginning of the medium (`MediaInfo.startTime`).
    func seek(to time: MediaTime) throws(MediaError) -> MediaTime
    /// Frees what it holds.
    func close()
    /// What is odd about the medium as a whole, a sentence each; complete once it was read to its end.
    var remarks: [String] { get }
}

extension MediaSource {
    /// Nothing.
    public var remarks: [String] { [] }
}

/// What a source may know of the world above it.
public struct SourceContext: Sendable {
    /// Stops blocking calls.
    public let cancellation: CancellationToken
    /// The files of the machine.
    public let files: any FileSystem
    /// Demuxers that can be chosen.
    public let registry: PluginRegistry

    /// Joins the parts.
    public init(
        registry: PluginRegistry, cancellation: CancellationToken = CancellationToken(),
        files: any FileSystem = SystemFileSystem()
    ) {
        self.registry = registry
        self.cancellation = cancellation
        self.files = files
    }
}
