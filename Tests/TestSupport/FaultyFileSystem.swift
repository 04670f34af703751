// A file system in which one call, counted from the first, fails.

import Glibc
public import MediaCore
import Synchronization

/// What goes wrong in a `FaultyFileSystem`.
public enum FileFault: String, CaseIterable, Sendable {
    /// The call does nothing and reports EIO.
    case inputOutputError
    /// The call does nothing and reports ENOSPC.
    case diskFull
    /// A write writes half of its bytes and reports ENOSPC; other calls report EIO.
    case shortWrite
    /// From this call on everything fails with EIO, as on a disk that died.
    case deadDisk
}

/// Passes every call on to another file system and makes the N-th one fail.
///
/// Thread-safety: safe. Calls are counted over all threads, from 1.
public final class FaultyFileSystem: FileSystem {
    private let inner: any FileSystem
    private let fault: FileFault
    private let number: Int
    private let state = Mutex<(count: Int, hit: String?)>((0, nil))

    /// Makes the call with this number fail; 0 for none.
    public init(
        _ inner: any FileSystem = SystemFileSystem(), failingCall number: Int = 0,
        _ fault: FileFault = .inputOutputError
    ) {
        self.inner = inner
        self.number = number
        self.fault = fault
    }

    /// How many calls were made.
    public var callCount: Int { state.withLock { $0.count } }

    /// The call that failed, as `operation path`; nil when none did.
    public var failedCall: String? { state.withLock { $0.hit } }

    /// Counts a call, and throws where it is the one that fails.
    fileprivate func count(
        _ operation: String, _ path: String, output: Bool = true
    ) throws(MediaError) {
        let fails = state.withLock { state in
            state.count += 1
            guard
                state.count == number || (fault == .deadDisk && number > 0 && state.count > number)
            else { return false }
            if state.hit == nil { state.hit = "\(operation) \(path)" }
            return true
        }
        guard fails else { return }
        throw .system(
            fault == .diskFull ? ENOSPC : EIO, "\(operation) \(path.printable)", output: output)
    }

    /// Counts a write; how many bytes are to be written before it fails, nil where it does not.
    fileprivate func countWrite(_ path: String, _ size: Int) throws(MediaError) -> Int? {
        do {
            try count("write", path)
            return nil
        } catch {
            guard fault == .shortWrite, callCount == number else { throw error }
            return size / 2
        }
    }

    /// Passes on or fails.
    public func open(_ path: String, _ access: FileAccess) throws(MediaError)
        -> sending any OpenFile
    {
        try count("open", path, output: access.isOutput)
        return FaultyFile(try inner.open(path, access), path, access.isOutput, self)
    }

    /// Passes on or fails.
    public func facts(of path: String) throws(MediaError) -> FileFacts? {
        try count("facts", path, output: false)
        return try inner.facts(of: path)
    }

    /// Passes on or fails.
    public func resolve(_ path: String) throws(MediaError) -> String {
        try count("resolve", path, output: false)
        return try inner.resolve(path)
    }

    /// Passes on or fails.
    public func linkTarget(of path: String) throws(MediaError) -> String? {
        try count("linkTarget", path, output: false)
        return try inner.linkTarget(of: path)
    }

    /// Passes on or fails.
    public func list(_ folder: String) throws(MediaError) -> [String] {
        try count("list", folder, output: false)
        return try inner.list(folder)
    }

    /// Passes on or fails.
    public func makeFolder(_ path: String) throws(MediaError) {
        try count("makeFolder", path)
        try inner.makeFolder(path)
    }

    /// Passes on or fails.
    public func rename(_ source: String, to target: String) throws(MediaError) {
        try count("rename", target)
        try inner.rename(source, to: target)
    }

    /// Passes on or fails.
    public func remove(_ path: String) throws(MediaError) {
        try count("remove", path)
        try inner.remove(path)
    }

    /// Passes on or fails.
    public func syncFolder(_ path: String) throws(MediaError) {
        try count("syncFolder", path)
        try inner.syncFolder(path)
    }

    /// Passes on or fails.
    public func setFacts(_ path: String, mode: UInt32, modified: Int64?) throws(MediaError) {
        try count("setFacts", path)
        try inner.setFacts(path, mode: mode, modified: modified)
    }

    /// Passes on or fails.
    public func copyAttributes(from original: String, to path: String) throws(MediaError) {
        try count("copyAttributes", path)
        try inner.copyAttributes(from: original, to: path)
    }
}

private final class FaultyFile: OpenFile {
    private let inner: any OpenFile
    private let path: String
    private let isOutput: Bool
    private let system: FaultyFileSystem

    init(
        _ inner: any OpenFile, _ path: String, _ isOutput: Bool, _ system: FaultyFileSystem
    ) {
        self.inner = inner
        self.path = path
        self.isOutput = isOutput
        self.system = system
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        try system.count("read", path, output: false)
        return try inner.read(into: buffer)
    }

    func write(_ buffer: UnsafeRawBufferPointer) throws(MediaError) {
        if let part = try system.countWrite(path, buffer.count) {
            try inner.write(UnsafeRawBufferPointer(rebasing: buffer.prefix(part)))
            throw .system(ENOSPC, "write \(path.printable)", output: true)
        }
        try inner.write(buffer)
    }

    func seek(to offset: Int64) throws(MediaError) {
        try system.count("seek", path, output: isOutput)
        try inner.seek(to: offset)
    }

    func truncate(to size: Int64) throws(MediaError) {
        try system.count("truncate", path)
        try inner.truncate(to: size)
    }

    func claim() throws(MediaError) -> Bool {
        try system.count("claim", path)
        return try inner.claim()
    }

    func sync() throws(MediaError) {
        try system.count("sync", path)
        try inner.sync()
    }

    // A descriptor is free even after a close that reports a failure.
    func close() throws(MediaError) {
        try inner.close()
        try system.count("close", path, output: isOutput)
    }

    var size: Int64? { inner.size }
}
