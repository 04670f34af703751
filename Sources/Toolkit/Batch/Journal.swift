// The file that makes a batch restartable: claimed, read, appended to.

internal import MediaCore

/// An open journal; one run has it at a time.
///
/// Thread-safety: safe; lines are appended whole. A failed append is undone, so that a later one
/// does not run into a torn line.
final class Journal: Sendable {
    private struct State {
        let file: any OpenFile
        var length: Int64
        var isBroken = false
    }

    /// What the journal said when it was opened.
    let contents: JournalContents
    /// Where it is.
    let path: String

    private let state: Monitor<State>

    /// Opens or makes the journal at `path`, claims it, and cuts off a torn last line.
    ///
    /// - Throws: `invalid-state` where another run has it; `bad-argument` where the file is
    ///   something else; what the file system reports.
    static func open(_ path: String, files: any FileSystem) throws(MediaError) -> Journal {
        try checkKind(path, files)
        let file = try files.open(path, .append)
        guard try file.claim() else {
            throw MediaError(
                .invalidState,
                "journal \(path.printable): another run is working with it; wait for its end or "
                    + "name another journal")
        }
        var contents = try read(file, path)
        if Int64(contents.wholeLength) < file.size ?? 0 {
            try file.truncate(to: Int64(contents.wholeLength))
        }
        if contents.damagedLines > 0 {
            Log.warning(
                "batch",
                "journal \(path.printable): \(contents.damagedLines) damaged lines left out; "
                    + "their files are done again")
        }
        var length = Int64(contents.wholeLength)
        if contents.wholeLength == 0 {
            try file.write(bytes: JournalLine.header)
            try file.sync()
            length = Int64(JournalLine.header.count)
        }
        contents.wholeLength = Int(length)
        return Journal(path, contents, file, length)
    }

    /// What a journal says, without claiming or changing it; nothing where there is none.
    static func peek(_ path: String, files: any FileSystem) throws(MediaError) -> JournalContents {
        guard try checkKind(path, files) else { return JournalContents() }
        return try read(files.open(path, .read), path)
    }

    /// Whether something is there; what is no file is refused before it is opened, for a device
    /// may have no end and a pipe no beginning.
    @discardableResult
    private static func checkKind(
        _ path: String, _ files: any FileSystem
    ) throws(MediaError) -> Bool {
        guard let facts = try files.facts(of: path) else { return false }
        guard facts.kind == .file else {
            throw MediaError(.badArgument, "journal \(path.printable) is not a file")
        }
        return true
    }

    private static func read(
        _ file: any OpenFile, _ path: String
    ) throws(MediaError) -> JournalContents {
        do throws(MediaError) {
            // Not all of a film that was named by mistake.
            return try JournalReader.read(file.readAll(checking: JournalReader.checkHead))
        } catch {
            throw MediaError(
                error.code, "\(path.printable) \(error.message)", underlying: error.underlying)
        }
    }

    private init(
        _ path: String, _ contents: JournalContents, _ file: sending any OpenFile, _ length: Int64
    ) {
        self.path = path
        self.contents = contents
        state = Monitor(State(file: file, length: length))
    }

    /// Appends lines, and waits until they are on the disk where `isSynced`.
    func append(_ lines: [JournalLine], isSynced: Bool) throws(MediaError) {
        let bytes = lines.flatMap(\.bytes)
        try state.withLock { (held: inout State) throws(MediaError) in
            guard !held.isBroken else {
                throw MediaError(.outputFailed, "journal \(path.printable) can't be written")
            }
            do throws(MediaError) {
                try held.file.write(bytes: bytes)
                if isSynced { try held.file.sync() }
                held.length += Int64(bytes.count)
            } catch {
                do throws(MediaError) {
                    try held.file.truncate(to: held.length)
                } catch {
                    held.isBroken = true
                }
                throw error.prefixed("journal")
            }
        }
    }

    /// Closes the file, which lets others have it.
    func close() throws(MediaError) {
        try state.withLock { (held: inout State) throws(MediaError) in try held.file.close() }
    }
}
