// Outputs appear under their name only when they are complete.

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

    @Test func aFolderIsNoOutput() throws {
        let folder = try TemporaryFolder()
        #expect(throws: MediaError.self) { try StagedOutput(folder.path) }
        #expect(throws: MediaError.self) { try StagedOutput(folder.file("none/x")) }
    }
}
