// The files of the machine, by POSIX calls.

internal import CShims
internal import Glibc

/// The machine's own files.
public struct SystemFileSystem: FileSystem {
    /// Makes the seam; it holds nothing.
    public init() {}

    /// Opens by `open(2)`; new files get mode 0666 less the umask.
    public func open(_ path: String, _ access: FileAccess) throws(MediaError)
        -> sending any OpenFile
    {
        try whole(path)
        let flags: Int32
        switch access {
        case .read: flags = O_RDONLY
        case .createNew: flags = O_RDWR | O_CREAT | O_EXCL
        case .overwrite: flags = O_RDWR | O_CREAT | O_TRUNC
        case .append: flags = O_RDWR | O_CREAT | O_APPEND
        case .direct(let cancellation): return try PipeFile(opening: path, cancellation)
        }
        let action = "open \(path.printable)"
        let descriptor = path.withOSPath { name in
            retrying { Glibc.open(name, flags | O_CLOEXEC, 0o666) }
        }
        let isOutput = access.isOutput
        if descriptor < 0 { throw .system(errno, action, output: isOutput) }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            Glibc.close(descriptor)
            throw .system(EISDIR, action, output: isOutput)
        }
        return SystemFile(owning: descriptor, path: path, isOutput: isOutput)
    }

    /// By `stat(2)`.
    public func facts(of path: String) throws(MediaError) -> FileFacts? {
        try whole(path)
        var status = stat()
        if path.withOSPath({ stat($0, &status) }) != 0 {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .system(errno, "look at \(path.printable)")
        }
        let kind: FileFacts.Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            default: .other
            }
        return FileFacts(
            kind: kind, size: Int64(status.st_size),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec),
            identity: [UInt64(status.st_dev), UInt64(status.st_ino)],
            mode: status.st_mode & 0o7777, links: Int(status.st_nlink))
    }

    /// By `realpath(3)`.
    public func resolve(_ path: String) throws(MediaError) -> String {
        try whole(path)
        guard let start = path.withOSPath({ realpath($0, nil) }) else {
            throw .system(errno, "look at \(path.printable)")
        }
        defer { free(start) }
        let bytes = UnsafeBufferPointer(start: start, count: strlen(start))
        return String(osBytes: bytes.map { UInt8(bitPattern: $0) })
    }

    /// By `readlink(2)`.
    public func linkTarget(of path: String) throws(MediaError) -> String? {
        try whole(path)
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = path.withOSPath { readlink($0, &buffer, buffer.count) }
        guard count >= 0 else {
            if [EINVAL, ENOENT, ENOTDIR].contains(errno) { return nil }
            throw .system(errno, "look at \(path.printable)")
        }
        return String(osBytes: buffer.prefix(count).map { UInt8(bitPattern: $0) })
    }

    /// By `readdir(3)`, without `.` and `..`.
    public func list(_ folder: String) throws(MediaError) -> [String] {
        try whole(folder)
        guard let handle = folder.withOSPath({ opendir($0) }) else {
            throw .system(errno, "list \(folder.printable)")
        }
        defer { closedir(handle) }
        var names: [[UInt8]] = []
        while let entry = readdir(handle) {
            let bytes = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: UInt8.self, capacity: 256) { start in
                    Array(
                        UnsafeBufferPointer(
                            start: start,
                            count: strnlen(
                                UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self), 256)))
                }
            }
            if bytes != [46] && bytes != [46, 46] { names.append(bytes) }
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }.map { String(osBytes: $0) }
    }

    /// By `mkdir(2)`, from the top down.
    public func makeFolder(_ path: String) throws(MediaError) {
        try whole(path)
        if path.isEmpty || path.withOSPath({ mkdir($0, 0o777) }) == 0 { return }
        let number = errno
        if number == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try makeFolder(String(path[..<slash]))
            if path.withOSPath({ mkdir($0, 0o777) }) == 0 { return }
        }
        if try facts(of: path)?.kind == .folder { return }
        throw .system(number, "make folder \(path.printable)", output: true)
    }

    /// By `rename(2)`.
    public func rename(_ source: String, to target: String) throws(MediaError) {
        try whole(source)
        try whole(target)
        let status = source.withOSPath { from in target.withOSPath { to in Glibc.rename(from, to) }
        }
        if status != 0 {
            throw .system(
                errno, "rename \(source.printable) to \(target.printable)", output: true)
        }
    }

    /// By `unlink(2)`.
    public func remove(_ path: String) throws(MediaError) {
        try whole(path)
        if path.withOSPath({ unlink($0) }) != 0, errno != ENOENT {
            throw .system(errno, "remove \(path.printable)", output: true)
        }
    }

    /// By `fsync(2)` on the folder.
    public func syncFolder(_ path: String) throws(MediaError) {
        try whole(path)
        let name = path.isEmpty ? "." : path
        let descriptor = name.withOSPath { Glibc.open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        if descriptor < 0 { throw .system(errno, "open folder \(name.printable)", output: true) }
        defer { Glibc.close(descriptor) }
        if fsync(descriptor) != 0, errno != EINVAL {
            throw .system(errno, "sync folder \(name.printable)", output: true)
        }
    }

    /// By `chmod(2)` and `utimensat(2)`.
    public func setFacts(_ path: String, mode: UInt32, modified: Int64?) throws(MediaError) {
        try whole(path)
        if path.withOSPath({ chmod($0, mode & 0o7777) }) != 0 {
            throw .system(errno, "set mode of \(path.printable)", output: true)
        }
        guard let modified else { return }
        let time = timespec(
            tv_sec: Int(modified / 1_000_000_000), tv_nsec: Int(modified % 1_000_000_000))
        let times = [time, time]
        if path.withOSPath({ utimensat(AT_FDCWD, $0, times, 0) }) != 0 {
            throw .system(errno, "set time of \(path.printable)", output: true)
        }
    }

    /// By `chown(2)`, `setxattr(2)` and `chmod(2)`.
    public func copyAttributes(from original: String, to path: String) throws(MediaError) {
        var status = stat()
        if original.withOSPath({ stat($0, &status) }) != 0 {
            throw .system(errno, "look at \(original.printable)")
        }
        // Each for itself: a member of the group may keep that, but not the owner.
        for (user, group) in [(uid_t.max, status.st_gid), (status.st_uid, gid_t.max)] {
            if path.withOSPath({ chown($0, user, group) }) != 0,
                ![EPERM, EINVAL, ENOSYS, ENOTSUP].contains(errno)
            {
                throw .system(errno, "set owner of \(path.printable)", output: true)
            }
        }
        let copied = original.withOSPath { from in
            path.withOSPath { mk_file_copy_user_attributes(from, $0) }
        }
        if copied != 0 {
            throw .system(errno, "set attributes of \(path.printable)", output: true)
        }
        // Last, for a change of owner takes bits away.
        try setFacts(path, mode: status.st_mode, modified: nil)
    }
}

/// Refuses a path that the system would cut off at a zero byte.
private func whole(_ path: String) throws(MediaError) {
    if path.utf8.contains(0) {
        throw MediaError(.badArgument, "\(path.printable): no path has a zero byte in it")
    }
}

/// A file behind a descriptor.
public final class SystemFile: OpenFile {
    private var descriptor: Int32
    private let path: String
    private let isOutput: Bool
    private let closes: Bool
    private var isClaimed = false
    // Bytes that were written since write-back was last begun.
    private var waiting = 0
    private static let writebackStep = 16 << 20
    // Whether it may be a pipe or a socket, whose loss the system tells by a signal too.
    private lazy var losesReaders = size == nil

    /// Takes a descriptor; `close` closes it unless `borrowing` (standard streams).
    public init(owning descriptor: Int32, path: String, isOutput: Bool, borrowing: Bool = false) {
        self.descriptor = descriptor
        self.path = path
        self.isOutput = isOutput
        closes = !borrowing
    }

    deinit {
        unclaim()
        if closes, descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// By `read(2)`.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        let count = retrying { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
        if count < 0 { throw .system(errno, "read \(path.printable)") }
        return count
    }

    /// By `write(2)`, again after short writes; the disk is set to work while more is written.
    ///
    /// A pipe without a reader is `output-failed`, whatever the program does with SIGPIPE.
    public func write(_ buffer: UnsafeRawBufferPointer) throws(MediaError) {
        var written = 0
        while written < buffer.count {
            let (start, rest) = (buffer.baseAddress.map { $0 + written }, buffer.count - written)
            let count = retrying {
                losesReaders
                    ? writeWithoutSignal(descriptor, start, rest)
                    : Glibc.write(descriptor, start, rest)
            }
            if count < 0 { throw .system(errno, "write \(path.printable)", output: true) }
            written += count
        }
        waiting += written
        if waiting >= SystemFile.writebackStep {
            waiting = 0
            mk_file_begin_writeback(descriptor)
        }
    }

    /// By `lseek(2)`.
    public func seek(to offset: Int64) throws(MediaError) {
        if lseek(descriptor, off_t(offset), SEEK_SET) < 0 {
            throw .system(errno, "seek in \(path.printable)", output: isOutput)
        }
    }

    /// By `fstat(2)`.
    public var size: Int64? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Int64(status.st_size)
    }

    /// By `ftruncate(2)`.
    public func truncate(to size: Int64) throws(MediaError) {
        if retrying({ ftruncate(descriptor, off_t(size)) }) != 0 {
            throw .system(errno, "cut \(path.printable)", output: true)
        }
    }

    /// By `flock(2)`.
    public func claim() throws(MediaError) -> Bool {
        if retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 {
            isClaimed = true
            return true
        }
        if errno == EWOULDBLOCK { return false }
        throw .system(errno, "lock \(path.printable)", output: isOutput)
    }

    // Closing is not enough: a child that is just being made still holds the descriptor.
    private func unclaim() {
        if isClaimed, descriptor >= 0 { _ = flock(descriptor, LOCK_UN) }
        isClaimed = false
    }

    /// By `fsync(2)`.
    public func sync() throws(MediaError) {
        if fsync(descriptor) != 0, errno != EINVAL {
            throw .system(errno, "sync \(path.printable)", output: isOutput)
        }
    }

    /// By `close(2)`.
    public func close() throws(MediaError) {
        guard closes, descriptor >= 0 else { return }
        unclaim()
        let number = descriptor
        descriptor = -1
        if Glibc.close(number) != 0, errno != EINTR {
            throw .system(errno, "close \(path.printable)", output: isOutput)
        }
    }
}

private func retrying<Count: FixedWidthInteger>(_ call: () -> Count) -> Count {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
