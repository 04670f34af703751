// Files that end before their header says so.

import MediaCore
import MediaModel
import Plugins
import TestSupport
import Testing

@Suite("Files cut off")
struct CutOffTests {
    private static let recipes = ["a.flac", "a.mka", "a.mp3"].map {
        MediaRecipe(name: $0, arguments: ["-f", "lavfi", "-i", "sine=d=20"])
    }

    /// What was remarked, by the end of the medium.
    private func remarks(_ path: String, only streams: Set<Int>? = nil) throws -> [String] {
        let source = try Passage().open(path)
        defer { source.close() }
        if let streams { source.select(streams) }
        while try source.readPacket() != nil {}
        return source.remarks
    }

    @Test("one sentence says where it ends and where it should", arguments: recipes)
    func cut(_ recipe: MediaRecipe) throws {
        let folder = try TemporaryFolder()
        let path = try recipe.make(in: folder)
        #expect(try remarks(path).isEmpty)
        let bytes = try readFile(path)
        let half = try folder.write("half-\(recipe.name)", bytes.prefix(bytes.count / 2))
        let found = try remarks(half)
        #expect(found.count == 1)
        let sentence = try #require(found.first)
        #expect(sentence.contains("its header says 0:00:20"), "\(sentence)")
        #expect(sentence.hasSuffix("; it may have been cut off"))
    }

    @Test(
        "a file of bare samples is told by the bytes or the samples that its header counts",
        arguments: [("a.wav", []), ("a.w64", []), ("b.wav", ["-rf64", "always"])])
    func counted(_ name: String, _ options: [String]) throws {
        let folder = try TemporaryFolder()
        let recipe = MediaRecipe(
            name: name, arguments: ["-f", "lavfi", "-i", "sine=d=2"] + options)
        let path = try recipe.make(in: folder)
        #expect(try remarks(path).isEmpty)
        let bytes = try readFile(path)
        let half = try folder.write("half-\(name)", bytes.prefix(bytes.count / 4 * 2))
        let declared = options.isEmpty ? "\(bytes.count);" : "0:00:02"
        let found = try remarks(half)
        #expect(found.count == 1)
        let sentence = try #require(found.first)
        #expect(sentence.contains("its header says \(declared)"), "\(sentence)")
        #expect(sentence.hasSuffix("; it may have been cut off"))
    }

    @Test("a header that leaves the size open, as a stream's does, says nothing")
    func openSize() throws {
        let folder = try TemporaryFolder()
        let path = try MediaRecipe(
            name: "a.wav", arguments: ["-f", "lavfi", "-i", "sine=d=2"]
        ).make(in: folder)
        for size in [UInt32.max, UInt32.max - 8, 0] {
            var bytes = try readFile(path)
            bytes.replaceSubrange(4..<8, with: withUnsafeBytes(of: size.littleEndian, Array.init))
            #expect(try remarks(try folder.write("open.wav", bytes)).isEmpty)
        }
    }

    @Test("whole files say nothing, whatever is selected", arguments: MediaRecipe.decoded)
    func whole(_ recipe: MediaRecipe) throws {
        let folder = try TemporaryFolder()
        #expect(try remarks(try recipe.make(in: folder)).isEmpty)
    }

    @Test("sound that is shorter than the film is no cut, alone or with it")
    func shortSound() throws {
        let folder = try TemporaryFolder()
        let film = MediaRecipe(
            name: "film.mkv",
            arguments: [
                "-f", "lavfi", "-i", "testsrc2=size=64x64:duration=6", "-f", "lavfi", "-i",
                "sine=duration=2",
            ])
        let path = try film.make(in: folder)
        #expect(try remarks(path).isEmpty)
        #expect(try remarks(path, only: [1]).isEmpty)
    }
}
