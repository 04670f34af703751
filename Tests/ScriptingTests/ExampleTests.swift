// Every script under scripts/examples runs and says what it did.

import Foundation
import MediaCore
import Scripting
import TestSupport
import Testing

@Suite("Lua examples (issue: 4, 'at least six examples, each run by a test')")
struct ExampleTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("scripts/examples")

    private static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".lua") }.sorted()
    }

    /// Runs an example with the grants that a command line without options gives.
    private func run(
        _ name: String, _ arguments: [String] = [], in bench: ScriptBench
    ) throws -> ScriptOutcome {
        let text = try String(
            contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
        return bench.run(
            text, name: name, arguments: arguments, permissions: ScriptPermissions(), patience: 60)
    }

    @Test("two players at once go on undisturbed")
    func twoPlayers() throws {
        let outcome = try run("two_players.lua", in: ScriptBench())
        #expect(outcome.reported == "")
        #expect(outcome.status == 0)
        #expect(outcome.lines.contains { $0.hasPrefix("right  went on at 1.5") })
        #expect(outcome.lines.suffix(2).allSatisfy { $0.contains("completion") })
    }

    @Test("hooks put another URL in place, before opening and after it failed")
    func hooks() throws {
        let outcome = try run("hooks_fallback.lua", ["news"], in: ScriptBench())
        #expect(outcome.reported == "")
        #expect(outcome.status == 0)
        #expect(outcome.lines.filter { $0.hasPrefix("failed: ") }.count == 2)
        #expect(outcome.lines.last == "played")
    }

    @Test("observation shows states, statuses and positions in order")
    func observe() throws {
        let outcome = try run("observe.lua", in: ScriptBench())
        #expect(outcome.reported == "")
        #expect(outcome.status == 0)
        let statuses = outcome.lines.filter { $0.contains("  status ") }
            .compactMap { $0.split(separator: " ").last.map(String.init) }
        #expect(statuses.contains("paused"))
        #expect(statuses.contains("completion"))
        #expect(statuses.last == "stopped")
        #expect(outcome.lines.contains { $0.contains("seek_done") && $0.hasSuffix("1.50") })
    }

    @Test("two chains are compared by their figures")
    func compare() throws {
        let outcome = try run("ab_compare.lua", in: ScriptBench())
        #expect(outcome.reported == "")
        #expect(outcome.status == 0)
        #expect(outcome.lines.count == 8)
    }

    @Test("a folder is measured and reported; a bad file does not stop the rest")
    func measure() throws {
        let bench = try ScriptBench()
        let made = try run("measure_folder.lua", in: bench)
        #expect(made.status == 0)
        #expect(made.lines.contains { $0.hasPrefix("loudest: synth:anoisesrc") })
        try SystemFileSystem().makeFolder(bench.folder.file("in"))
        try bench.folder.write("in/bad.wav", Array("no sound".utf8))
        let outcome = try run("measure_folder.lua", ["in", "report.json"], in: bench)
        #expect(outcome.status == 1)
        #expect(outcome.lines.last == "report: report.json")
        let report = try JSON(parsing: bench.folder.read("report.json"))
        #expect(report["files"]?.elements?.count == 1)
    }

    @Test("media are described as lines of JSON")
    func inspect() throws {
        let outcome = try run("inspect.lua", in: ScriptBench())
        #expect(outcome.status == 0)
        let line = try JSON(parsing: Array((outcome.lines.first ?? "").utf8))
        #expect(line["streams"]?.elements?.count == 2)
        #expect(try run("inspect.lua", ["nowhere.wav"], in: ScriptBench()).status == 1)
    }

    @Test("a batch is brought to one loudness, and found finished the second time")
    func normalize() throws {
        let bench = try ScriptBench()
        let outcome = try run("batch_normalize.lua", ["-", "out", "-18"], in: bench)
        #expect(outcome.reported == "")
        #expect(outcome.status == 0)
        #expect(outcome.lines.first == "2 files")
        #expect(outcome.lines.last?.hasPrefix("2 done") == true)
        let report = try JSON(parsing: bench.folder.read("out/report.json"))
        for file in report["files"]?.elements ?? [] {
            let loudness = file["after"]?["integrated"]?.number ?? 0
            #expect(abs(loudness + 18) < 0.3)
        }
        let again = try run("batch_normalize.lua", ["-", "out", "-18"], in: bench)
        #expect(again.lines.last?.contains("2 skipped") == true)
        #expect(try run("batch_normalize.lua", [], in: bench).status == 2)
    }

    @Test("the enhancement is heard and changed, then written at the target (acceptance 1)")
    func enhance() throws {
        let bench = try ScriptBench()
        let heard = try run("enhance.lua", in: bench)
        #expect(heard.reported == "")
        #expect(heard.status == 0)
        #expect(heard.lines.contains { $0.contains("more voice") })
        #expect(heard.lines.contains { $0.hasPrefix("kept as it was: ") })
        #expect(heard.lines.contains { $0.contains("all off") })
        let whole = try run("enhance.lua", ["synth:sine=duration=1"], in: bench)
        #expect(whole.reported == "")
        #expect(whole.lines.last?.hasSuffix("played to the end") == true)
        let url = "synth:aevalsrc='0.1*sin(440*2*PI*t)|0.1*sin(600*2*PI*t)':duration=4"
        let written = try run("enhance.lua", [url, "out.flac"], in: bench)
        #expect(written.reported == "")
        #expect(written.lines.last == "done: out.flac")
        let after = written.lines.first { $0.hasPrefix("after") } ?? ""
        let loudness = after.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        #expect(abs(loudness + 16) < 0.3)
    }

    @Test("there is no example without a test")
    func complete() throws {
        #expect(
            try Self.names() == [
                "ab_compare.lua", "batch_normalize.lua", "enhance.lua", "hooks_fallback.lua",
                "inspect.lua", "measure_folder.lua", "observe.lua", "plugin.lua", "two_players.lua",
                "vvc.lua",
            ])
    }
}
