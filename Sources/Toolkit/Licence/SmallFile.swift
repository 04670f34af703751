// Files that fit into memory many times: read whole, written whole.

internal import Glibc
internal import MediaCore
internal import Synchronization

/// Reading and writing of whole small files.
enum SmallFile {
    /// All bytes of a file, or more than `limit` of them where it is longer.
    ///
    /// - Throws: what the file system reports, `io-failed` for what is no file: a pipe would never
    ///   end.
    static func read(
        _ path: String, limit: Int, _ files: any FileSystem
    ) throws(MediaError) -> [UInt8] {
        if let facts = try files.facts(of: path), facts.kind != .file {
            throw MediaError(.inputFailed, "read \(path.printable): not a file")
        }
        let file = try files.open(path, .read)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
        defer { buffer.deallocate() }
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let count = try file.read(into: buffer)
            if count == 0 { break }
            bytes += buffer.prefix(count)
        }
        try file.close()
        return bytes
    }

    /// Writes a file beside `path` and gives it the name.
    static func write(
        _ bytes: [UInt8], to path: String, _ files: any FileSystem
    ) throws(MediaError) {
        let temporary = temporaryName(path)
        do throws(MediaError) {
            let file = try files.open(temporary, .overwrite)
            try write(bytes, file)
            try files.rename(temporary, to: path)
        } catch {
            try? files.remove(temporary)
            throw error
        }
    }

    /// Writes a file of the machine with these permission bits, less the umask, from the start.
    ///
    /// Links are followed, and a device or a FIFO is written to as it is. A file that gives way hands
    /// its mode on, unless the new one is private.
    ///
    /// - Parameter replaces: whether a file of this name gives way; `output-exists` where not.
    static func write(
        _ bytes: [UInt8], to path: String, mode: mode_t, replaces: Bool
    ) throws(MediaError) {
        let files = SystemFileSystem()
        let target = replaces ? try OutputTarget(path, files) : .file(path)
        guard case .file(let end) = target else {
            return try write(bytes, files.open(path, .direct(CancellationToken())))
        }
        let place = replaces ? temporaryName(end) : path
        let descriptor = place.withOSPath {
            open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        }
        guard descriptor >= 0 else {
            throw .system(errno, "make \(path.printable)", output: true)
        }
        do throws(MediaError) {
            try write(bytes, SystemFile(owning: descriptor, path: path, isOutput: true))
            guard replaces else { return }
            if mode & 0o077 != 0, try files.facts(of: end) != nil {
                try files.copyAttributes(from: end, to: place)
            }
            try files.rename(place, to: end)
        } catch {
            try? files.remove(place)
            throw error
        }
    }

    private static let count = Atomic(0)

    /// A name beside a path that no other thread or program uses.
    private static func temporaryName(_ path: String) -> String {
        let number = count.add(1, ordering: .relaxed).oldValue
        return "\(path).\(getpid())-\(number).new"
    }

    private static func write(_ bytes: [UInt8], _ file: any OpenFile) throws(MediaError) {
        var failure: MediaError?
        bytes.withUnsafeBytes { buffer in
            do throws(MediaError) { try file.write(buffer) } catch { failure = error }
        }
        if let failure { throw failure }
        try file.sync()
        try file.close()
    }
}
