// A batch killed at any moment: nothing half-made, and the same command finishes the rest.

import Glibc
import MediaCore
import TestSupport
import Testing

@Suite("Issue 2, ways to break it: SIGKILL, SIGINT and a full disk", .serialized)
struct KillTests {
    private let files = SystemFileSystem()
    private static let names = ["a.flac", "b.flac", "c.wav", "d d.flac"]

    /// Inputs in `in`, and what becomes of them.
    private struct Setup {
        let folder: TemporaryFolder
        let arguments: [String]
        /// The final names and their contents before and after, by name in the working folder.
        var before: [String: [UInt8]] = [:]
        var after: [String: [UInt8]] = [:]
        var originals: [String: [UInt8]] = [:]
        var seconds = 0.0
    }

    private func setUp(inPlace: Bool) throws -> Setup {
        let folder = try TemporaryFolder()
        try files.makeFolder(folder.file("in"))
        var setup = Setup(
            folder: folder,
            arguments: [
                "batch", "in", "--filter", "volume=-3dB", "--jobs", "2", "--progress", "none",
            ]
                + (inPlace ? ["--in-place"] : ["--output", "out/{rel}/{stem}.flac"]))
        for (index, name) in KillTests.names.enumerated() {
            let signal = Signal.noise(level: -6, seconds: 0.2, seed: UInt64(index + 1))
            try MediaFixture.write(signal, folder.file("in/\(name)"))
            setup.originals["in/\(name)"] = try folder.read("in/\(name)")
        }
        if inPlace { setup.before = setup.originals }
        let begin = SystemTimeSource().now
        let result = try runMediakit(setup.arguments, folder: folder.path)
        #expect(result.status == 0, "\(result)")
        setup.seconds = (SystemTimeSource().now - begin).seconds
        for name in KillTests.names {
            let output = inPlace ? "in/\(name)" : "out/\(name.split(separator: ".")[0]).flac"
            setup.after[output] = try folder.read(output)
        }
        try reset(setup)
        return setup
    }

    /// Puts everything back to how it was before the first run.
    private func reset(_ setup: Setup) throws {
        for folder in ["in", "out"] where try files.facts(of: setup.folder.file(folder)) != nil {
            for name in try files.list(setup.folder.file(folder)) {
                try files.remove(setup.folder.file("\(folder)/\(name)"))
            }
        }
        for (name, bytes) in setup.originals { try setup.folder.write(name, bytes) }
    }

    /// No final name holds anything but the contents before or after.
    private func checkOutputs(_ setup: Setup, _ comment: Comment) throws {
        for (name, bytes) in setup.after {
            guard try files.facts(of: setup.folder.file(name)) != nil else {
                #expect(setup.before[name] == nil, comment)
                continue
            }
            let found = try setup.folder.read(name)
            #expect(found == bytes || found == setup.before[name], comment)
        }
    }

    private func checkComplete(_ setup: Setup, _ comment: Comment) throws {
        for (name, bytes) in setup.after {
            #expect(try setup.folder.read(name) == bytes, comment)
        }
        for folder in ["in", "out"] where try files.facts(of: setup.folder.file(folder)) != nil {
            let left = try files.list(setup.folder.file(folder)).filter { $0.hasSuffix(".tmp") }
            #expect(left.isEmpty, comment)
        }
    }

    @Test(
        "SIGKILL at 200 random points: never a partial output, and the rest is finished",
        arguments: [false, true])
    func kills(inPlace: Bool) throws {
        var setup = try setUp(inPlace: inPlace)
        let seed = UInt64.random(in: 0...999_999)
        var random = SeededRandom(seed: seed)
        var hits = 0
        var completions = 0
        let count = Sanitizer.isOn ? 50 : 100
        var number = -1
        // The first run may have been the slowest by far, so that later ones end before the kill.
        while number + 1 < count || (hits < 20 && number < 3 * count) {
            number += 1
            let comment: Comment = "seed \(seed), kill \(number)"
            let child = try ChildProcess(
                mediakitPath, setup.arguments, folder: setup.folder.path)
            let delay = Double.random(in: 0.2...1.1, using: &random) * setup.seconds
            usleep(UInt32(delay * 1e6))
            child.signal(SIGKILL)
            let result = child.finish(seconds: 20)
            try checkOutputs(setup, comment)
            if result.status == 128 + SIGKILL {
                hits += 1
                setup.seconds *= 1.02
            } else {
                setup.seconds *= 0.9
                #expect(result.status == 0, comment)
            }
            if result.status == 0 || number % 10 == 9 {
                let rest = try runMediakit(setup.arguments, folder: setup.folder.path)
                #expect(rest.status == 0, "\(comment) \(rest)")
                try checkComplete(setup, comment)
                completions += 1
                try reset(setup)
            }
        }
        #expect(hits >= 20, "\(hits) kills hit, seed \(seed)")
        #expect(completions >= count / 10)
    }

    @Test("SIGINT: status 130, nothing half-made, the next run finishes")
    func interrupt() throws {
        let setup = try setUp(inPlace: false)
        var random = SeededRandom(seed: 3)
        for number in 0..<8 {
            let child = try ChildProcess(mediakitPath, setup.arguments, folder: setup.folder.path)
            usleep(UInt32(Double.random(in: 0.3...0.9, using: &random) * setup.seconds * 1e6))
            child.signal(SIGINT)
            let result = child.finish(seconds: 10)
            #expect(!result.timedOut)
            // Before the watch is set up the signal ends the program itself, with the same status.
            #expect(result.status == 130 || result.status == 0, "\(number): \(result)")
            try checkOutputs(setup, "interrupt \(number)")
            if try files.facts(of: setup.folder.file("out")) != nil {
                let left = try files.list(setup.folder.file("out")).filter { $0.hasSuffix(".tmp") }
                #expect(left.isEmpty)
            }
        }
        #expect(try runMediakit(setup.arguments, folder: setup.folder.path).status == 0)
        try checkComplete(setup, "after interrupts")
    }

    @Test("two runs at once on one journal: the second one is told so")
    func twoRuns() throws {
        let folder = try TemporaryFolder()
        let journal = try files.open(folder.file("journal"), .append)
        #expect(try journal.claim())
        try files.makeFolder(folder.file("in"))
        try MediaFixture.write(Signal.noise(level: -6, seconds: 0.1), folder.file("in/a.flac"))
        let result = try runMediakit(
            ["batch", "in", "--output", "out/{name}", "--journal", "journal"], folder: folder.path)
        #expect(result.status == 2)
        #expect(result.errorText.contains("another run is working with it"))
    }

    private static let canMount = geteuid() == 0

    @Test(
        "a full disk: that file fails by name, the rest goes on, nothing half-made is left",
        .enabled(if: canMount, "mounting a small tmpfs needs root"))
    func fullDisk() throws {
        let setup = try setUp(inPlace: false)
        let out = setup.folder.file("out")
        // Room for one and a half outputs.
        let room = (setup.after.values.first?.count ?? 0) * 3 / 2
        let mounted = try run("mount", ["-t", "tmpfs", "-o", "size=\(room)", "tmpfs", out])
        guard mounted.status == 0 else {
            Issue.record("mount: \(mounted)")
            return
        }
        defer { umount2(out, Int32(MNT_DETACH)) }
        let arguments = setup.arguments.map { $0 == "2" ? "1" : $0 } + ["--report", "r.json"]
        let result = try runMediakit(arguments, folder: setup.folder.path)
        #expect(result.status == 1, "\(result)")
        #expect(result.errorText.contains("no space left"))
        let report = try JSON(parsing: try setup.folder.read("r.json"))
        let codes = report["files"]?.elements?.compactMap { $0["error"]?.text } ?? []
        #expect(!codes.isEmpty && codes.allSatisfy { $0 == "disk-full" }, "\(codes)")
        try checkOutputs(setup, "full disk")
        #expect(try files.list(out).filter { $0.hasSuffix(".tmp") }.isEmpty)
        let grown = try run("mount", ["-o", "remount,size=64m", out])
        #expect(grown.status == 0, "\(grown)")
        #expect(try runMediakit(arguments, folder: setup.folder.path).status == 0)
        try checkComplete(setup, "full disk")
    }
}
