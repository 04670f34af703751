// Bytes of a file, through the seam that tests can make fail.

public import MediaCore
public import MediaModel

/// A file as a data source.
///
/// Threading: confined.
public final class FileDataSource: DataSource {
    private let file: any OpenFile
    private let path: String
    /// The size when it was opened; nil for pipes and devices.
    public let length: Int64?
    /// Whether the file has a size, so that its parts can be reached.
    public var isSeekable: Bool { length != nil }

    /// Opens `path`.
    ///
    /// - Throws: `not-found`, `permission-denied`, or `io-failed` for a folder;
    ///   `container-malformed` for a file without bytes.
    public init(_ path: String, _ files: any FileSystem) throws(MediaError) {
        self.path = path
        let facts = try files.facts(of: path)
        if facts?.kind == .folder {
            throw MediaError(
                .inputFailed,
                "open \(path.printable): this is a folder; name a file in it")
        }
        file = try files.open(path, .read)
        length = file.size
        if length == 0, facts?.kind == .file {
            throw MediaError(.containerMalformed, "open \(path.printable): the file is empty")
        }
    }

    /// Reads at the position.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        try file.read(into: buffer)
    }

    /// Moves the position.
    public func seek(to offset: Int64) throws(MediaError) { try file.seek(to: offset) }

    /// Closes the file.
    public func close() { file.closeQuietly() }
}

@available(*, unavailable)
extension FileDataSource: Sendable {}
