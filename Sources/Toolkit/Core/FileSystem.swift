// The one seam through which the toolkit touches files, so that tests can make any call fail.

/// What is known of a file without reading it.
public struct FileFacts: Hashable, Sendable {
    /// What kind of thing a path names.
    public enum Kind: Sendable {
        case file
        case folder
        case other
    }

    /// What it is.
    public var kind: Kind
    /// The size in bytes.
    public var size: Int64
    /// When it was last written, in nanoseconds since 1970.
    public var modified: Int64
    /// The device and inode numbers: equal for two names of one file.
    public var identity: [UInt64]
    /// The permission bits.
    public var mode: UInt32
    /// How many names it has; more than one for a file with hard links.
    public var links: Int

    /// Gathers facts.
    public init(
        kind: Kind, size: Int64, modified: Int64, identity: [UInt64], mode: UInt32, links: Int = 1
    ) {
        self.kind = kind
        self.size = size
        self.modified = modified
        self.identity = identity
        self.mode = mode
        self.links = links
    }
}

/// How a file is opened.
public enum FileAccess: Sendable {
    /// Read what exists.
    case read
    /// Make a new file; fails with `output-exists` where the name is taken.
    case createNew
    /// Make a file or empty the one that is there.
    case overwrite
    /// Make a file or write behind the end of the one that is there.
    case append
    /// Write into a device or a FIFO that is there; cancellation ends every wait for a reader.
    case direct(CancellationToken)

    /// Whether the file is there to be written.
    public var isOutput: Bool {
        if case .read = self { false } else { true }
    }
}

/// An open file.
///
/// Threading: confined to one thread at a time. All calls throw `MediaError` naming the path.
public protocol OpenFile: AnyObject {
    /// Reads at the position; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int
    /// Writes all of `buffer` at the position.
    func write(_ buffer: UnsafeRawBufferPointer) throws(MediaError)
    /// Moves the position to `offset` bytes from the start.
    func seek(to offset: Int64) throws(MediaError)
    /// The size in bytes; nil where it has none (pipes).
    var size: Int64? { get }
    /// Cuts the file off behind `size` bytes.
    func truncate(to size: Int64) throws(MediaError)
    /// Claims the file for this program until it is closed or the program ends in any way; false
    /// where another one has claimed it.
    func claim() throws(MediaError) -> Bool
    /// Waits until the contents are on the disk.
    func sync() throws(MediaError)
    /// Closes; a failure of a late write is reported here. Later calls do nothing.
    func close() throws(MediaError)
}

/// Files and folders.
///
/// Thread-safety: safe. Paths are texts made with `String(osBytes:)` where they come from the
/// system. All calls throw `MediaError` naming the path.
public protocol FileSystem: Sendable {
    /// Opens a file.
    func open(_ path: String, _ access: FileAccess) throws(MediaError) -> sending any OpenFile
    /// What is known of `path`, links followed; nil where nothing is there.
    func facts(of path: String) throws(MediaError) -> FileFacts?
    /// The absolute path of what exists at `path`, with every link followed.
    func resolve(_ path: String) throws(MediaError) -> String
    /// What a link says, which may lead nowhere; nil for what is no link, and for nothing.
    func linkTarget(of path: String) throws(MediaError) -> String?
    /// The names in a folder, sorted by their bytes.
    func list(_ folder: String) throws(MediaError) -> [String]
    /// Makes a folder and what is missing above it.
    func makeFolder(_ path: String) throws(MediaError)
    /// Gives a file another name, replacing what has it.
    func rename(_ source: String, to target: String) throws(MediaError)
    /// Removes a file; nothing happens where none is.
    func remove(_ path: String) throws(MediaError)
    /// Waits until the names in a folder are on the disk.
    func syncFolder(_ path: String) throws(MediaError)
    /// Sets the permission bits and the time of last writing.
    func setFacts(_ path: String, mode: UInt32, modified: Int64?) throws(MediaError)
    /// Gives a file what another one is apart from its contents and times: permission bits always,
    /// owner, group and the user's own attributes as far as the program may and the system can.
    func copyAttributes(from original: String, to path: String) throws(MediaError)
}

extension FileSystem {
    /// No links.
    public func linkTarget(of path: String) throws(MediaError) -> String? { nil }

    /// The permission bits alone.
    public func copyAttributes(from original: String, to path: String) throws(MediaError) {
        if let facts = try facts(of: original) {
            try setFacts(path, mode: facts.mode, modified: nil)
        }
    }
}
