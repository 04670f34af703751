// What `mediakit batch` says, to people and to programs.

import MediaCore
import TestSupport
import Testing

@Suite("Issue 3, batch: what it says") struct BatchTextTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func makeSound() throws -> String {
        try SystemFileSystem().makeFolder(folder.file("in"))
        return try MediaRecipe(name: "in/a.wav", arguments: MediaRecipe.sound).make(in: folder)
    }

    @Test("a dry run says planned, in words and in JSON, and ends with 0")
    func dryRun() throws {
        _ = try makeSound()
        let command = [
            "batch", "in", "--output", "out/{stem}.flac", "--filter", "volume=-3dB", "--dry-run",
        ]
        let words = try runMediakit(command, folder: folder.path)
        #expect(words.status == 0, "\(words)")
        #expect(words.text == "in/a.wav -> out/a.flac: planned\n")
        let json = try runMediakit(command + ["--json"], folder: folder.path)
        #expect(json.status == 0, "\(json)")
        let report = try JSON(parsing: json.output)
        #expect(report["files"]?.elements?.first?["status"] == .string("planned"))
        #expect(report["counts"]?["done"] == .int(0))
        let unknown = try runMediakit(
            ["batch", "in", "--output", "out/{stem}.qqq", "--dry-run"], folder: folder.path)
        #expect(unknown.status == 1, "\(unknown)")
    }

    @Test("in place a file is said to be replaced, without a path that nobody named")
    func inPlace() throws {
        _ = try makeSound()
        let command = ["batch", "in", "--in-place", "--filter", "volume=-3dB"]
        let dry = try runMediakit(command + ["--dry-run"], folder: folder.path)
        #expect(dry.text == "in/a.wav: planned, to be replaced\n")
        let made = try runMediakit(command, folder: folder.path)
        #expect(made.errorText.contains("[1/1] in/a.wav: replaced\n"), "\(made)")
        #expect(!made.errorText.contains(folder.path))
        let again = try runMediakit(
            ["batch", "in", "--in-place", "--filter", "volume=-6dB"], folder: folder.path)
        #expect(again.status == 0)
        #expect(again.errorText.contains("is a result already"), "\(again)")
    }

    @Test("a folder without media is told of on standard error", arguments: ["batch", "measure"])
    func emptyFolder(_ verb: String) throws {
        try SystemFileSystem().makeFolder(folder.file("none"))
        let output = verb == "batch" ? ["--output", "out/{stem}.flac"] : []
        let result = try runMediakit([verb, "none"] + output, folder: folder.path)
        #expect(result.status == 0, "\(result)")
        #expect(result.errorText.contains("none: no media file in this folder"), "\(result)")
    }

    @Test("a report does not overwrite the journal")
    func reportOntoJournal() throws {
        _ = try makeSound()
        let result = try runMediakit(
            [
                "batch", "in", "--output", "out/{stem}.flac", "--report",
                "out/.mediakit-journal.jsonl",
            ], folder: folder.path)
        #expect(result.status == 2, "\(result)")
        #expect(try folder.names() == ["in"])
    }
}
