// An output that appears under its name only when it is complete.

internal import Glibc
public import MediaCore

/// A file written beside its final name and renamed at the end; devices and FIFOs are written to
/// as they are.
///
/// The temporary name is `.NAME.PID-N.part` in the same folder, so that renaming never copies; links
/// are followed first. Mode, owner and attributes are those of the file that is replaced. Messages
/// name the path that was asked for.
/// Threading: confined to one thread at a time.
public final class StagedOutput {
    private static let longestName = 255

    /// Where the output is written; borrowed by the muxer.
    public let file: any OpenFile

    private let path: String
    private let place: String
    private let temporary: String?
    private let files: any FileSystem
    private var isOpen = true

    /// Makes the temporary file, or opens what is no file.
    ///
    /// - Parameter cancellation: ends waits for the reader of a FIFO, here and in writes.
    /// - Throws: `output-failed` for a folder and where the folder can't be written to, `cancelled`.
    public init(
        _ path: String, files: any FileSystem = SystemFileSystem(),
        cancellation: CancellationToken = CancellationToken()
    ) throws(MediaError) {
        self.path = path
        self.files = files
        guard case .file(let place) = try OutputTarget(path, files) else {
            self.place = path
            temporary = nil
            file = try files.open(path, .direct(cancellation))
            return
        }
        self.place = place
        let slash = place.lastIndex(of: "/").map { place.index(after: $0) } ?? place.startIndex
        var number = 0
        while true {
            let tail = ".\(getpid())-\(number).part"
            var name = String(place[slash...])
            while name.osBytes.count + tail.utf8.count + 1 > StagedOutput.longestName {
                name.unicodeScalars.removeLast()
            }
            let temporary = "\(place[..<slash]).\(name)\(tail)"
            do throws(MediaError) {
                let opened = try files.open(temporary, .createNew)
                file = NamedFile(opened, at: temporary, named: path)
                self.temporary = temporary
                break
            } catch {
                guard error.code == .outputExists, number < 100 else {
                    throw NamedFile.renamed(error, temporary, path)
                }
                number += 1
            }
        }
        do throws(MediaError) {
            if let temporary, try files.facts(of: place) != nil {
                try files.copyAttributes(from: place, to: temporary)
            }
        } catch {
            abandon()
            throw temporary.map { NamedFile.renamed(error, $0, path) } ?? error
        }
    }

    /// Waits for the disk and gives the file its name.
    public func commit() throws(MediaError) {
        guard isOpen else { return }
        do throws(MediaError) {
            try file.sync()
            try file.close()
            if let temporary { try files.rename(temporary, to: place) }
            isOpen = false
        } catch {
            abandon()
            throw temporary.map { NamedFile.renamed(error, $0, path) } ?? error
        }
    }

    /// Removes the file; nothing happens after `commit`.
    public func abandon() {
        guard isOpen else { return }
        isOpen = false
        try? file.close()
        if let temporary { try? files.remove(temporary) }
    }

    deinit { abandon() }
}
