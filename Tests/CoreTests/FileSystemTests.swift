// The machine's files through the seam.

import Glibc
import MediaCore
import TestSupport
import Testing

@Suite struct FileSystemTests {
    private let files = SystemFileSystem()

    @Test func writesReadsRenamesAndRemoves() throws {
        let folder = try TemporaryFolder()
        try folder.write("a", [1, 2, 3])
        try files.rename(folder.file("a"), to: folder.file("b"))
        #expect(try folder.names() == ["b"])
        #expect(try folder.read("b") == [1, 2, 3])
        #expect(try files.facts(of: folder.file("b"))?.size == 3)
        #expect(try files.facts(of: folder.file("a")) == nil)
        try files.remove(folder.file("b"))
        try files.remove(folder.file("b"))
        try files.syncFolder(folder.path)
        #expect(try folder.names() == [])
    }

    @Test func listsNamesThatAreNotUTF8() throws {
        let folder = try TemporaryFolder()
        let odd = String(osBytes: [0x61, 0xFF, 0x0A, 0x27])
        try folder.write(odd, [1])
        #expect(try folder.names() == [odd])
        #expect(try folder.read(odd) == [1])
    }

    @Test func makesFoldersFromTheTop() throws {
        let folder = try TemporaryFolder()
        try files.makeFolder(folder.file("x/y/z"))
        try files.makeFolder(folder.file("x/y/z"))
        #expect(try files.facts(of: folder.file("x/y/z"))?.kind == .folder)
        try folder.write("file", [])
        #expect(throws: MediaError.self) { try files.makeFolder(folder.file("file/sub")) }
    }

    @Test func saysWhatWasTriedAndWhatCameBack() throws {
        let folder = try TemporaryFolder()
        let missing = #expect(throws: MediaError.self) {
            _ = try files.open(folder.file("no"), .read)
        }
        #expect(missing?.code == .notFound)
        #expect(missing?.message == "open \(folder.file("no")): no such file or directory")
        let taken = #expect(throws: MediaError.self) {
            try folder.write("f", [])
            _ = try files.open(folder.file("f"), .createNew)
        }
        #expect(taken?.code == .outputExists)
        #expect(throws: MediaError.self) { _ = try files.open(folder.path, .read) }
    }

    @Test func copiesModeOwnerAndTheUsersAttributes() throws {
        let folder = try TemporaryFolder()
        let old = try folder.write("old", [1])
        let new = try folder.write("new", [2, 3])
        #expect(chmod(old, 0o4640) == 0)
        let isRoot = geteuid() == 0
        if isRoot { #expect(chown(old, 1234, 4321) == 0 && chmod(old, 0o4640) == 0) }
        let hasAttributes = UserAttributes.set("user.note", Array("loud".utf8), of: old)
        try files.copyAttributes(from: old, to: new)
        var status = stat()
        #expect(stat(new, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o4640)
        if isRoot { #expect(status.st_uid == 1234 && status.st_gid == 4321) }
        if hasAttributes { #expect(UserAttributes.get("user.note", of: new) == Array("loud".utf8)) }
        #expect(try folder.read("new") == [2, 3])
        #expect(link(old, folder.file("second")) == 0)
        #expect(try files.facts(of: old)?.links == 2)
    }

    @Test func everyErrorCodeHasAnExitStatus() {
        for code in MediaError.Code.allCases {
            #expect([1, 2, 3, 5, 130].contains(code.exitStatus))
            #expect(!code.rawValue.contains(" "))
        }
    }

    @Test("a pipe takes everything, and a full one lets go at cancellation")
    func pipes() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (from, to) = (ends[0], ends[1])
        defer {
            close(from)
            close(to)
        }
        let token = CancellationToken()
        let file = PipeFile(
            SystemFile(owning: to, path: "pipe", isOutput: true, borrowing: true), descriptor: to,
            token)
        #expect(file.size == nil)
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let read = Monitor<[UInt8]>([])
        let reader = WorkerThread("mk-test") {
            var block = [UInt8](repeating: 0, count: 5000)
            while read.withLock({ $0.count }) < bytes.count {
                let count = Glibc.read(from, &block, block.count)
                guard count > 0 else { return }
                read.withLock { $0 += block[..<count] }
            }
        }
        try bytes.withUnsafeBytes { try file.write($0) }
        reader.join()
        let isSame = read.withLock { $0 } == bytes
        #expect(isSame)
        let canceller = WorkerThread("mk-test") {
            usleep(200_000)
            token.cancel()
        }
        let error = #expect(throws: MediaError.self) {
            try bytes.withUnsafeBytes { try file.write($0) }
        }
        canceller.join()
        #expect(error?.code == .cancelled)
    }
}
