// Files, folders and patterns into inputs.

import Glibc
import MediaCore
import TestSupport
import Testing

@testable import Batch

@Suite("Issue 2, section 5: inputs")
struct InputTests {
    private let files = SystemFileSystem()

    private func names(_ expansion: InputExpansion, in folder: TemporaryFolder) -> [String] {
        expansion.inputs.map { String($0.path.dropFirst(folder.path.count + 1)) }
    }

    @Test("folders are read recursively, media files only, hidden ones not, in order of bytes")
    func recursion() throws {
        let folder = try TemporaryFolder()
        for name in ["b", "b/deep"] { try files.makeFolder(folder.file(name)) }
        for name in ["z.wav", "a.FLAC", "note.txt", ".x.wav", "b/c.mp3", "b/deep/d.opus"] {
            try folder.write(name, [1])
        }
        let expansion = InputExpansion([folder.path], files: files)
        #expect(names(expansion, in: folder) == ["a.FLAC", "b/c.mp3", "b/deep/d.opus", "z.wav"])
        #expect(expansion.inputs.map(\.subfolder) == ["", "b", "b/deep", ""])
        #expect(expansion.inputs.allSatisfy { !$0.isNamed })
        #expect(expansion.failures.isEmpty)
    }

    @Test("a link back to a folder above is not followed for ever")
    func loop() throws {
        let folder = try TemporaryFolder()
        try files.makeFolder(folder.file("a"))
        try folder.write("a/x.wav", [1])
        #expect(symlink(folder.path, folder.file("a/up")) == 0)
        let expansion = InputExpansion([folder.path], files: files)
        #expect(names(expansion, in: folder) == ["a/x.wav"])
        let pattern = GlobPattern(folder.path + "/**/*.wav").matches(in: files)
        #expect(pattern == [folder.file("a/x.wav")])
    }

    @Test("names that differ only in their form of Unicode are two files everywhere")
    func unicodeForms() throws {
        let folder = try TemporaryFolder()
        let composed = "\u{E9}.wav"
        let decomposed = "e\u{301}.wav"
        try #require(composed == decomposed)
        let paths = [folder.file(decomposed), folder.file(composed)]
        for name in [decomposed, composed] { try folder.write(name, [1]) }
        for names in [[folder.path], [folder.file("*.wav")], paths] {
            let expansion = InputExpansion(names, files: files)
            #expect(expansion.inputs.map { $0.path.osBytes } == paths.map(\.osBytes))
        }
        #expect(InputExpansion(paths + paths, files: files).inputs.count == 2)
        let inputs = InputExpansion(paths, files: files).inputs
        var planner = BatchPlanner(files: files)
        let items = try planner.plan(
            inputs, OutputTemplate(parsing: folder.file("out/{stem}.flac")))
        #expect(Set(items.map { PathKey($0.output) }).count == 2)
        let swapped = try planner.plan(
            [inputs[0]], OutputTemplate(parsing: folder.file("\u{E9}.flac")))
        #expect(swapped.count == 1)
        #expect(planner.planInPlace(inputs).allSatisfy { $0.problem == nil })
        #expect(!PathText.lies("/e\u{301}/a", below: "/\u{E9}"))
        #expect(PathText.commonFolder(["/e\u{301}/a", "/\u{E9}/a"]) == "/")
    }

    @Test("links to folders are followed where they are named, not where they are found")
    func linkedFolders() throws {
        let folder = try TemporaryFolder()
        for name in ["music/sub", "elsewhere"] { try files.makeFolder(folder.file(name)) }
        for name in ["music/a.wav", "music/sub/b.wav", "elsewhere/c.wav"] {
            try folder.write(name, [1])
        }
        #expect(symlink(folder.file("elsewhere"), folder.file("music/out")) == 0)
        #expect(symlink(folder.file("music"), folder.file("link")) == 0)
        let expansion = InputExpansion([folder.file("link")], files: files)
        #expect(names(expansion, in: folder) == ["link/a.wav", "link/sub/b.wav"])
        let named = InputExpansion([folder.file("music/out")], files: files)
        #expect(names(named, in: folder) == ["music/out/c.wav"])
        let matched = InputExpansion([folder.file("*/**/*.wav")], files: files)
        #expect(
            Set(names(matched, in: folder)) == [
                "elsewhere/c.wav", "link/a.wav", "link/sub/b.wav", "music/a.wav", "music/sub/b.wav",
            ])
    }

    @Test("a folder without a media file is noted")
    func emptyFolders() throws {
        let folder = try TemporaryFolder()
        for name in ["empty", "full"] { try files.makeFolder(folder.file(name)) }
        try folder.write("empty/note.txt", [1])
        try folder.write("full/a.wav", [1])
        let expansion = InputExpansion(
            [folder.file("full"), folder.file("full"), folder.file("empty")], files: files)
        #expect(expansion.emptyFolders == [folder.file("empty")])
        #expect(expansion.failures.isEmpty)
    }

    @Test("patterns, doubles, missing files and a name that looks like a pattern")
    func mixed() throws {
        let folder = try TemporaryFolder()
        try files.makeFolder(folder.file("s"))
        for name in ["a1.wav", "a2.wav", "b.txt", "[x].wav", "s/a3.wav"] {
            try folder.write(name, [1])
        }
        let expansion = InputExpansion(
            [
                folder.file("a?.wav"), folder.file("[x].wav"), folder.file("./a1.wav"),
                folder.file("gone.wav"), folder.file("*.nope"), folder.file("b.txt"),
                folder.file("**/a[1-3].wav"),
            ], files: files)
        #expect(
            names(expansion, in: folder) == ["a1.wav", "a2.wav", "[x].wav", "b.txt", "s/a3.wav"])
        #expect(expansion.failures.map(\.error.code) == [.notFound, .notFound])
    }

    @Test(
        "the pattern language",
        arguments: [
            ("*.wav", "x.wav", true), ("*.wav", "x.wave", false), ("a*b*c", "aXbYbc", true),
            ("a*b*c", "aXbYb", false), ("[!a]x", "bx", true), ("[!a]x", "ax", false),
            ("[]]", "]", true), ("[a-", "[a-", true), ("\\*", "*", true), ("\\*", "x", false),
            ("?", "é", true), ("**", "ab", true), ("", "", true), ("*", "", true),
        ])
    func patterns(_ row: (pattern: String, name: String, matches: Bool)) {
        let found = GlobPattern.matches(
            Array(row.name.unicodeScalars)[...], Array(row.pattern.unicodeScalars)[...])
        #expect(found == row.matches)
    }

    @Test("a pattern made to be slow ends at once")
    func slowPattern() {
        let name = String(repeating: "a", count: 200)
        let pattern = String(repeating: "a*", count: 50) + "b"
        let begin = SystemTimeSource().now
        #expect(
            !GlobPattern.matches(
                Array(name.unicodeScalars)[...], Array(pattern.unicodeScalars)[...]))
        #expect(SystemTimeSource().now - begin < MediaTime(seconds: Sanitizer.patience(60)))
    }

    @Test("a folder that can't be read is a failure, the rest goes on")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        try folder.write("a.wav", [1])
        let list = FaultyFileSystem(failingCall: 2)
        let expansion = InputExpansion([folder.path, folder.file("a.wav")], files: list)
        #expect(expansion.failures.map(\.error.code) == [.inputFailed])
        #expect(names(expansion, in: folder) == ["a.wav"])
    }
}

@Suite("Issue 2, section 5: nothing is overwritten by mistake")
struct PlanTests {
    private let files = SystemFileSystem()

    private func plan(_ paths: [String], _ template: String) throws -> [BatchItem] {
        var planner = BatchPlanner(files: files)
        return try planner.plan(
            InputExpansion(paths, files: files).inputs, OutputTemplate(parsing: template))
    }

    @Test("two inputs with one output are refused")
    func collision() throws {
        let folder = try TemporaryFolder()
        let paths = try ["x.wav", "x.mp3"].map { try folder.write($0, [1]) }
        let error = #expect(throws: MediaError.self) {
            try plan(paths, folder.file("out/{stem}.flac"))
        }
        #expect(error?.code == .badArgument)
        #expect(error?.message.contains("x.mp3") == true)
        #expect(try plan(paths, folder.file("out/{name}.flac")).count == 2)
    }

    @Test("an output that is an input is refused: same path, other spelling, links")
    func ontoInput() throws {
        let folder = try TemporaryFolder()
        let paths = try ["a.wav", "b.wav"].map { try folder.write($0, [1]) }
        try files.makeFolder(folder.file("links"))
        #expect(symlink(folder.path, folder.file("again")) == 0)
        #expect(link(folder.file("a.wav"), folder.file("links/a.wav")) == 0)
        #expect(symlink(folder.file("b.wav"), folder.file("links/b.wav")) == 0)
        for template in [
            "{dir}/{name}", "{dir}/./{name}", "\(folder.path)/again/{name}",
            "\(folder.path)/links/{name}",
        ] {
            let error = #expect(throws: MediaError.self, "\(template)") {
                try plan(paths, template)
            }
            #expect(error?.code == .outputExists)
        }
        // One input's output may not be another input either.
        #expect(throws: MediaError.self) {
            try plan(
                paths,
                folder.file("{index:1}.wav")
                    .replacing("{index:1}", with: "b"))
        }
    }

    @Test("in place: links are followed, a second name of a file is refused")
    func inPlace() throws {
        let folder = try TemporaryFolder()
        try folder.write("a.wav", [1])
        #expect(symlink(folder.file("a.wav"), folder.file("link.wav")) == 0)
        var planner = BatchPlanner(files: files)
        let items = planner.planInPlace(
            InputExpansion([folder.file("link.wav"), folder.file("a.wav")], files: files).inputs)
        #expect(items[0].output == (try files.resolve(folder.file("a.wav"))))
        #expect(items[0].problem == nil)
        #expect(items[1].problem?.code == .badArgument)
    }

    @Test("in place: links found in a folder are left alone where they lead out of it")
    func linkedFiles() throws {
        let folder = try TemporaryFolder()
        for name in ["music", "elsewhere"] { try files.makeFolder(folder.file(name)) }
        let outside = try folder.write("elsewhere/x.wav", [1])
        try folder.write("music/sub.wav", [2])
        #expect(symlink(outside, folder.file("music/a.wav")) == 0)
        #expect(symlink("sub.wav", folder.file("music/z.wav")) == 0)
        var planner = BatchPlanner(files: files)
        let items = planner.planInPlace(
            InputExpansion([folder.file("music")], files: files).inputs)
        #expect(items.allSatisfy { $0.problem == nil })
        #expect(items.map { $0.note != nil } == [true, false, true])
        #expect(items[0].note?.contains("outside of") == true)
        let named = planner.planInPlace(
            InputExpansion([folder.file("music/a.wav")], files: files).inputs)
        #expect(named[0].note == nil)
        #expect(named[0].output == (try files.resolve(outside)))
    }

    @Test("in place: a file with hard links is refused unless that is forced")
    func hardLinks() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a.wav", [1])
        #expect(link(path, folder.file("b.wav")) == 0)
        let inputs = InputExpansion([path], files: files).inputs
        var planner = BatchPlanner(files: files)
        #expect(planner.planInPlace(inputs)[0].problem?.message.contains("hard links") == true)
        #expect(planner.planInPlace(inputs, isForced: true)[0].problem == nil)
    }

    @Test("10,000 inputs are planned in seconds")
    func many() throws {
        let folder = try TemporaryFolder()
        for index in 0..<10_000 { try folder.write("\(index).wav", []) }
        let begin = SystemTimeSource().now
        let items = try plan([folder.path], folder.file("out/{stem}.flac"))
        #expect(items.count == 10_000)
        #expect(SystemTimeSource().now - begin < MediaTime(seconds: Sanitizer.patience(180)))
    }
}
