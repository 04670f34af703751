// Outputs appear under their name only when they are complete.

import Glibc
import MediaCore
import Pipeline
import TestSupport
import Testing

@Suite("Outputs written beside their name")
struct StagedOutputTests {
    private func write(_ text: String, _ output: StagedOutput) throws(MediaError) {
        var failure: MediaError?
        Array(text.utf8).withUnsafeBytes { bytes in
            do throws(MediaError) {
                try output.file.write(bytes)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    @Test func theNameComesWithTheCommit() throws {
        let folder = try TemporaryFolder()
        let output = try StagedOutput(folder.file("a b.txt"))
        try write("whole", output)
        #expect(try folder.names() != ["a b.txt"])
        try output.commit()
        #expect(try folder.names() == ["a b.txt"])
        #expect(try folder.read("a b.txt") == Array("whole".utf8))
    }

    @Test func anAbandonedOutputLeavesNothing() throws {
        let folder = try TemporaryFolder()
        try folder.write("old.txt", Array("old".utf8))
        do {
            let output = try StagedOutput(folder.file("old.txt"))
            try write("half", output)
        }
        #expect(try folder.names() == ["old.txt"])
        #expect(try folder.read("old.txt") == Array("old".utf8))
    }

    @Test func twoOutputsOfOneNameDoNotMeet() throws {
        let folder = try TemporaryFolder()
        let first = try StagedOutput(folder.file("x"))
        let second = try StagedOutput(folder.file("x"))
        try write("1", first)
        try write("2", second)
        try first.commit()
        try second.commit()
        #expect(try folder.read("x") == Array("2".utf8))
    }

    @Test("links are followed, and stay", arguments: [true, false])
    func links(isThere: Bool) throws {
        let folder = try TemporaryFolder()
        try SystemFileSystem().makeFolder(folder.file("deep"))
        if isThere { try folder.write("deep/real", Array("old".utf8)) }
        #expect(symlink("deep/real", folder.file("link")) == 0)
        #expect(symlink("link", folder.file("other")) == 0)
        let output = try StagedOutput(folder.file("other"))
        try write("new", output)
        #expect(try folder.names() == ["deep", "link", "other"])
        try output.commit()
        #expect(try folder.read("deep/real") == Array("new".utf8))
        #expect(try SystemFileSystem().list(folder.file("deep")) == ["real"])
        #expect(try SystemFileSystem().linkTarget(of: folder.file("other")) == "link")
        #expect(symlink("b", folder.file("a")) == 0)
        #expect(symlink("a", folder.file("b")) == 0)
        #expect(throws: MediaError.self) { try StagedOutput(folder.file("a")) }
    }

    @Test("a FIFO is written to and stays")
    func fifo() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let seen = Monitor<[UInt8]>([])
        let reader = WorkerThread("mk-test") {
            let bytes = (try? readFile(path)) ?? []
            seen.withLock { $0 = bytes }
        }
        let output = try StagedOutput(path)
        #expect(output.file.size == nil)
        try write("through", output)
        try output.commit()
        reader.join()
        #expect(seen.withLock { $0 } == Array("through".utf8))
        #expect(try folder.names() == ["pipe"])
        #expect(try SystemFileSystem().facts(of: path)?.kind == .other)
    }

    /// Whether this user and this folder may have devices.
    private static let hasDevices: Bool = {
        guard let folder = try? TemporaryFolder() else { return false }
        let path = folder.file("nul")
        guard makeNullDevice(path) else { return false }
        let descriptor = open(path, O_WRONLY)
        defer { close(descriptor) }
        return descriptor >= 0
    }()

    private static func makeNullDevice(_ path: String) -> Bool {
        mknod(path, S_IFCHR | 0o600, 1 << 8 | 3) == 0
    }

    @Test("a device is written to and stays", .enabled(if: StagedOutputTests.hasDevices))
    func device() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("nul")
        #expect(StagedOutputTests.makeNullDevice(path))
        let output = try StagedOutput(path)
        try write("gone", output)
        try output.commit()
        #expect(try folder.names() == ["nul"])
        #expect(try SystemFileSystem().facts(of: path)?.kind == .other)
    }

    @Test("what is replaced hands on its mode, and messages name what was asked for")
    func modeAndNames() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("secret", Array("old".utf8))
        try SystemFileSystem().setFacts(path, mode: 0o600, modified: nil)
        let output = try StagedOutput(path)
        try write("new", output)
        for name in try folder.names() {
            #expect(try SystemFileSystem().facts(of: folder.file(name))?.mode == 0o600, "\(name)")
        }
        try output.commit()
        #expect(try SystemFileSystem().facts(of: path)?.mode == 0o600)
        let error = #expect(throws: MediaError.self) { try StagedOutput(folder.file("none/x")) }
        #expect(error?.message.contains(".part") == false)
        #expect(error?.message.contains("none/x") == true)
        let long = String(repeating: "n", count: 250)
        try StagedOutput(folder.file(long)).commit()
        #expect(try folder.names() == [long, "secret"])
    }

    @Test("no failing call leaves anything beside the output", arguments: 1...12)
    func failures(number: Int) throws {
        let folder = try TemporaryFolder()
        try folder.write("out", Array("old".utf8))
        let files = FaultyFileSystem(failingCall: number)
        do {
            let output = try StagedOutput(folder.file("out"), files: files)
            try write("new", output)
            try output.commit()
            #expect(try folder.read("out") == Array("new".utf8))
        } catch {
            #expect(!"\(error)".contains(".part"), "\(error)")
            #expect(try folder.read("out") == Array("old".utf8), "\(error)")
        }
        if files.failedCall?.hasPrefix("remove") != true { #expect(try folder.names() == ["out"]) }
    }

    @Test func aFolderIsNoOutput() throws {
        let folder = try TemporaryFolder()
        #expect(throws: MediaError.self) { try StagedOutput(folder.path) }
        #expect(throws: MediaError.self) { try StagedOutput(folder.file("none/x")) }
    }
}
