// Inputs that can't be used, through every verb that reads one: one clear error, the right exit
// status, no partial output, no hang.

import MediaCore
import TestSupport
import Testing

/// Something wrong with an input, and what each verb must say of it.
struct BadInput: Sendable, CustomTestStringConvertible {
    var name: String
    var recipe: @Sendable (TemporaryFolder) throws -> String
    /// Part of the message.
    var message: String
    /// Whether it can still be looked at: `probe` shows what is there.
    var isProbeable = false

    var testDescription: String { name }

    private static func film(_ folder: TemporaryFolder) throws -> [UInt8] {
        let recipe = MediaRecipe(
            name: "whole.mp4", arguments: MediaRecipe.film + ["-c:v", "libx264", "-c:a", "aac"])
        return try readFile(recipe.make(in: folder))
    }

    static let all: [BadInput] = [
        BadInput(
            name: "a missing file", recipe: { $0.file("missing.wav") }, message: "no such file"),
        BadInput(
            name: "an empty file", recipe: { try $0.write("empty.wav", []) },
            message: "the file is empty"),
        BadInput(
            name: "text named .mp4", recipe: { try $0.write("text.mp4", Array("hello\n".utf8)) },
            message: "no media file that can be read"),
        BadInput(
            name: "an MP4 cut in half",
            recipe: { folder in
                let bytes = try film(folder)
                return try folder.write("cut.mp4", bytes.prefix(bytes.count / 2))
            }, message: "no media file that can be read"),
        BadInput(
            name: "no audio stream",
            recipe: { folder in
                try MediaRecipe(
                    name: "mute.mp4", arguments: MediaRecipe.film + ["-an", "-c:v", "libx264"]
                ).make(in: folder)
            }, message: "has no stream", isProbeable: true),
        BadInput(
            name: "zero-length audio",
            recipe: { folder in
                try MediaRecipe(name: "zero.wav", arguments: MediaRecipe.sound + ["-t", "0"])
                    .make(in: folder)
            }, message: "is empty", isProbeable: true),
    ]
}

@Suite("Bad input through the command line") struct BadInputTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func checkError(_ result: ChildResult, _ status: Int32, _ bad: BadInput) {
        #expect(!result.timedOut)
        #expect(result.status == status, "\(result)")
        #expect(result.errorText.contains(bad.message), "\(result)")
        #expect(!result.errorText.contains("Fatal error"))
    }

    @Test("probe, measure and play say what is wrong", arguments: BadInput.all)
    func readers(_ bad: BadInput) throws {
        let path = try bad.recipe(folder)
        let probe = try runMediakit(["probe", path], seconds: 10)
        if bad.isProbeable {
            #expect(probe.status == 0)
        } else {
            checkError(probe, 3, bad)
            #expect(probe.errorText.split(separator: "\n").count == 1)
        }
        checkError(try runMediakit(["measure", path], seconds: 10), 3, bad)
        let play = ["play", path, "--clock", "free", "--filter", "volume=-3dB"]
        checkError(try runMediakit(play, seconds: 10), 3, bad)
    }

    @Test("play and batch leave nothing under the final name", arguments: BadInput.all)
    func writers(_ bad: BadInput) throws {
        let path = try bad.recipe(folder)
        let play = [
            "play", path, "--clock", "free", "--filter", "volume=-3dB", "--sink", "wav",
            "--output", folder.file("played.wav"),
        ]
        checkError(try runMediakit(play, seconds: 10), 3, bad)
        let out = folder.file("out")
        let batch = ["batch", path, "--filter", "volume=-3dB", "--output", "\(out)/{stem}.flac"]
        checkError(try runMediakit(batch, seconds: 10), 1, bad)
        #expect(try !folder.names().contains { $0.contains("played") })
        let left = (try? SystemFileSystem().list(out)) ?? []
        #expect(left.filter { $0 != ".mediakit-journal.jsonl" }.isEmpty)
    }

    @Test("a sound that changes its rate and layout midway keeps its length")
    func changingFormat() throws {
        func layer(_ rate: Int, _ channels: Int) throws -> [UInt8] {
            try readFile(
                MediaRecipe(
                    name: "\(rate).mp2",
                    arguments: [
                        "-f", "lavfi", "-i", "sine=d=1:r=\(rate)", "-ac", "\(channels)",
                    ]
                ).make(in: folder))
        }
        let path = try folder.write("change.mp2", layer(44100, 1) + layer(48000, 2))
        let output = folder.file("change.wav")
        let result = try runMediakit(
            ["batch", path, "--filter", "volume=-3dB", "--output", output], seconds: 10)
        #expect(result.status == 0, "\(result)")
        let probe = try JSON(parsing: runMediakit(["probe", output, "--json"]).output)
        let seconds = try #require(probe["duration"]?.number)
        #expect(abs(seconds - 2.03) < 0.03)
    }

    @Test("timestamps that jump back are mended with a warning")
    func jumpingBack() throws {
        let part = try readFile(
            MediaRecipe(
                name: "part.ts",
                arguments: MediaRecipe.sound + ["-c:a", "mp2", "-f", "mpegts"]
            ).make(in: folder))
        let path = try folder.write("back.ts", part + part)
        let output = folder.file("back.flac")
        let result = try runMediakit(
            ["batch", path, "--filter", "volume=-3dB", "--output", output], seconds: 10)
        #expect(result.status == 0, "\(result)")
        let decoded = try run(
            "ffmpeg", ["-v", "error", "-xerror", "-i", output, "-f", "null", "-"])
        #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(decoded)")
        let probe = try JSON(parsing: runMediakit(["probe", output, "--json"]).output)
        let seconds = try #require(probe["duration"]?.number)
        #expect(seconds > 3.9)
    }

    @Test("samples that are not numbers become silence", arguments: ["normalizer", "volume=-3dB"])
    func notANumber(_ filter: String) throws {
        let tone = Signal.sine(440, level: -20, seconds: 1.5, channels: 1)
        var samples = tone.planes[0]
        for index in stride(from: 1000, to: samples.count, by: 9000) { samples[index] = .nan }
        samples[5000] = .infinity
        let raw = try folder.write(
            "nan.f32", samples.flatMap { withUnsafeBytes(of: $0) { Array($0) } })
        let path = folder.file("nan.wav")
        let made = try run(
            "ffmpeg",
            [
                "-v", "error", "-f", "f32le", "-ar", "48000", "-ac", "1", "-i", raw, "-c:a",
                "pcm_f32le", path,
            ])
        #expect(made.status == 0, "\(made)")
        let output = folder.file("nan.flac")
        let result = try runMediakit(
            ["batch", path, "--filter", filter, "--output", output], seconds: 20)
        #expect(result.status == 0, "\(result)")
        let measured = try JSON(parsing: runMediakit(["measure", output, "--json"]).output)
        let loudness = measured["files"]?.elements?.first?["loudness"]?["integrated"]?.number
        #expect(loudness.map { $0.isFinite && $0 > -40 } == true)
    }

    @Test(
        "a wrong chain is refused before anything is opened",
        arguments: [
            ("volum=-3dB", "did you mean 'volume'"), ("volume=loudness=3", "loudness"),
            ("alimiter=limit=99", "limit"), ("audioEnhance=dialoguenhance_voice=11", "1…10"),
            ("volume=-3dB,,alimiter", "name is missing"),
        ])
    func wrongChain(_ chain: String, _ part: String) throws {
        for verb in [
            ["play", "missing.wav"], ["batch", "missing.wav", "--output", "x/{stem}.wav"],
        ] {
            let result = try runMediakit(
                verb + ["--filter", chain], folder: folder.path, seconds: 10)
            #expect(result.status == 2, "\(result)")
            #expect(result.errorText.contains(part), "\(result)")
            #expect(result.errorText.contains("^"), "\(result)")
        }
        #expect(try folder.names().isEmpty)
    }
}
