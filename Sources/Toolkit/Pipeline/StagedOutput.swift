// An output that appears under its name only when it is complete.

internal import Glibc
public import MediaCore

/// A file written beside its final name and renamed at the end.
///
/// The temporary name is `.NAME.PID-N.part` in the same folder, so that renaming never copies.
/// Threading: confined to one thread at a time.
public final class StagedOutput {
    /// Where the output is written; borrowed by the muxer.
    public let file: any OpenFile

    private let path: String
    private let temporary: String
    private let files: any FileSystem
    private var isOpen = true

    /// Makes the temporary file.
    ///
    /// - Throws: `output-failed` where the folder can't be written to, `output-exists`.
    public init(_ path: String, files: any FileSystem = SystemFileSystem()) throws(MediaError) {
        self.path = path
        self.files = files
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let folder = path[..<slash]
        if try files.facts(of: path)?.kind == .folder {
            throw .system(EISDIR, "write \(path.printable)", output: true)
        }
        var number = 0
        while true {
            let name = "\(folder).\(path[slash...]).\(getpid())-\(number).part"
            do {
                file = try files.open(name, .createNew)
                temporary = name
                return
            } catch {
                guard error.code == .outputExists, number < 100 else { throw error }
                number += 1
            }
        }
    }

    /// Waits for the disk and gives the file its name.
    public func commit() throws(MediaError) {
        guard isOpen else { return }
        do throws(MediaError) {
            try file.sync()
            try file.close()
            try files.rename(temporary, to: path)
            isOpen = false
        } catch {
            abandon()
            throw error
        }
    }

    /// Removes the file; nothing happens after `commit`.
    public func abandon() {
        guard isOpen else { return }
        isOpen = false
        try? file.close()
        try? files.remove(temporary)
    }

    deinit { abandon() }
}
