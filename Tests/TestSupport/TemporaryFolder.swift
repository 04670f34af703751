// A folder that goes when the test ends.

import Glibc
public import MediaCore

/// A new, empty folder, removed with all in it at the end.
public final class TemporaryFolder: Sendable {
    /// Its path, without a slash at the end.
    public let path: String

    /// Makes the folder under TMPDIR.
    public init() throws(MediaError) {
        let root = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let blanks = String(repeating: "X", count: 6)  // for mkdtemp to fill in
        var template = Array("\(root)/mediakit-test-\(blanks)".utf8CString)
        guard mkdtemp(&template) != nil else { throw .system(errno, "make a folder in \(root)") }
        path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    deinit { Self.remove(path) }

    /// The path of a file in the folder.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file and gives its path.
    @discardableResult
    public func write(_ name: String, _ bytes: some Sequence<UInt8>) throws(MediaError) -> String {
        let file = try SystemFileSystem().open(self.file(name), .overwrite)
        var failure: MediaError?
        Array(bytes).withUnsafeBytes { buffer in
            do throws(MediaError) {
                try file.write(buffer)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        try file.close()
        return self.file(name)
    }

    /// The bytes of a file.
    public func read(_ name: String) throws(MediaError) -> [UInt8] { try readFile(file(name)) }

    /// The names in the folder.
    public func names() throws(MediaError) -> [String] { try SystemFileSystem().list(path) }

    private static func remove(_ path: String) {
        let files = SystemFileSystem()
        for name in (try? files.list(path)) ?? [] {
            let child = "\(path)/\(name)"
            var status = stat()
            _ = child.withOSPath { lstat($0, &status) }
            if status.st_mode & S_IFMT == S_IFDIR {
                _ = child.withOSPath { chmod($0, 0o700) }
                remove(child)
            } else {
                try? files.remove(child)
            }
        }
        _ = path.withOSPath { rmdir($0) }
    }
}

/// The bytes of a file.
public func readFile(_ path: String) throws(MediaError) -> [UInt8] {
    let file = try SystemFileSystem().open(path, .read)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        var failure: MediaError?
        let count = chunk.withUnsafeMutableBytes { buffer in
            do throws(MediaError) {
                return try file.read(into: buffer)
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        if count == 0 { return bytes }
        bytes += chunk[..<count]
    }
}
