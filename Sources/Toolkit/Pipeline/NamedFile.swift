// An open file under another name than its own, for messages.

internal import MediaCore

/// Passes everything on; messages name what the user named instead of a temporary name.
final class NamedFile: OpenFile {
    private let file: any OpenFile
    private let temporary: String
    private let name: String

    init(_ file: any OpenFile, at temporary: String, named name: String) {
        self.file = file
        self.temporary = temporary
        self.name = name
    }

    /// An error with the name that the user knows.
    static func renamed(_ error: MediaError, _ temporary: String, _ name: String) -> MediaError {
        let message = error.message.replacing(temporary.printable, with: name.printable)
        return MediaError(error.code, message, underlying: error.underlying)
    }

    private func naming<Result>(
        _ body: () throws(MediaError) -> Result
    ) throws(MediaError) -> Result {
        do throws(MediaError) {
            return try body()
        } catch {
            throw NamedFile.renamed(error, temporary, name)
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        try naming { () throws(MediaError) in try file.read(into: buffer) }
    }

    func write(_ buffer: UnsafeRawBufferPointer) throws(MediaError) {
        try naming { () throws(MediaError) in try file.write(buffer) }
    }

    func seek(to offset: Int64) throws(MediaError) {
        try naming { () throws(MediaError) in try file.seek(to: offset) }
    }

    var size: Int64? { file.size }

    func truncate(to size: Int64) throws(MediaError) {
        try naming { () throws(MediaError) in try file.truncate(to: size) }
    }

    func claim() throws(MediaError) -> Bool {
        try naming { () throws(MediaError) in try file.claim() }
    }

    func sync() throws(MediaError) { try naming { () throws(MediaError) in try file.sync() } }

    func close() throws(MediaError) { try naming { () throws(MediaError) in try file.close() } }
}
