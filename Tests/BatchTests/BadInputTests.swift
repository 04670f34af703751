// Inputs that are not what they seem: one clear failure each, and nothing under a final name.

import Batch
import MediaCore
import MediaModel
import Pipeline
import TestSupport
import Testing

@Suite("Issue 2, bad input: each fails alone and leaves no output")
struct BadInputTests {
    private let files = SystemFileSystem()

    /// Makes the bad inputs, and a good one between them.
    private func makeInputs(_ folder: TemporaryFolder) throws -> [(name: String, isGood: Bool)] {
        try MediaFixture.write(Signal.noise(level: -20, seconds: 1), folder.file("good.wav"))
        try folder.write("empty.flac", [])
        try folder.write("text.mp4", "This is not a film.".utf8)
        try files.makeFolder(folder.file("folder.flac"))
        let film = folder.file("whole.mp4")
        let made = try run(
            "ffmpeg",
            ["-v", "error", "-y"] + MediaRecipe.film
                + ["-c:v", "mpeg4", "-c:a", "aac", film])
        #expect(made.status == 0, "\(made)")
        let bytes = try readFile(film)
        try folder.write("half.mp4", bytes.prefix(bytes.count / 2))
        let silent = try run(
            "ffmpeg",
            ["-v", "error", "-y", "-i", film, "-an", "-c", "copy", folder.file("mute.mp4")])
        #expect(silent.status == 0, "\(silent)")
        try MediaFixture.write(
            Signal([[], []], rate: 48_000), folder.file("nothing.wav"))
        return [
            ("empty.flac", false), ("text.mp4", false), ("good.wav", true), ("half.mp4", false),
            ("mute.mp4", false), ("nothing.wav", false), ("gone.wav", false),
        ]
    }

    @Test("with a filter and with measured loudness", arguments: ["volume=-3dB", "toTarget"])
    func failAlone(_ chain: String) throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        let inputs = try makeInputs(folder)
        var request = BatchRequest(
            inputs: inputs.map { folder.file($0.name) },
            chain: try FilterChain(parsing: chain, registry: registry),
            output: try OutputTemplate(parsing: folder.file("out/{name}.mka")))
        request.jobs = 2
        let begin = SystemTimeSource().now
        let summary = try BatchRunner(request, registry: registry).run()
        #expect(SystemTimeSource().now - begin < MediaTime(seconds: Sanitizer.patience(60)))
        #expect(summary.exitStatus == 1)
        #expect(summary.results.count == inputs.count)
        for result in summary.results {
            let name = result.input.split(separator: "/").last.map(String.init) ?? ""
            let isGood = inputs.contains { $0.name == name && $0.isGood }
            #expect(result.status == (isGood ? .done : .failed), "\(name)")
            if !isGood {
                let error = try #require(result.error)
                #expect(error.message.count > 10, "\(name)")
                #expect(!error.message.contains("internal"), "\(name): \(error.message)")
                #expect(error.code.exitStatus != 130)
            }
        }
        #expect(
            try files.list(folder.file("out")) == [".mediakit-journal.jsonl", "good.wav.mka"])
    }

    @Test("samples that are no numbers become 0, and are said")
    func brokenSamples() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        var signal = Signal.noise(level: -20, seconds: 2)
        signal.planes[0][1000] = .nan
        signal.planes[1][2000] = .infinity
        try MediaFixture.write(signal, folder.file("in.wav"), ["-c:a", "pcm_f32le"])
        for target in [-30.0, -10] {
            var request = try MediaFixture.request(
                [folder.file("in.wav")], to: target, output: folder.file("x.flac"),
                registry: registry)
            request.repeatsFinished = true
            let result = try #require(
                try BatchRunner(request, registry: registry).run().results.first)
            #expect(result.status == .done)
            #expect(result.details.warnings.contains { $0.contains("2 samples are no numbers") })
            let samples = try MediaFixture.samples(folder.file("x.flac"))
            #expect(samples.allSatisfy { $0.isFinite })
            #expect(samples[2000] == 0)
            #expect(samples[4001] == 0)
        }
    }

    @Test("an output that can't be written")
    func unwritable() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        try MediaFixture.write(Signal.noise(level: -20, seconds: 0.2), folder.file("a.wav"))
        try folder.write("file", [1])
        let request = BatchRequest(
            inputs: [folder.file("a.wav")],
            output: try OutputTemplate(parsing: folder.file("file/{stem}.flac")))
        let error = #expect(throws: MediaError.self) {
            try BatchRunner(request, registry: registry).run()
        }
        #expect(error?.code == .outputExists)
        for bad in ["x.nosuchcontainer", "%d.png"] {
            let wrong = BatchRequest(
                inputs: [folder.file("a.wav")],
                output: try OutputTemplate(parsing: folder.file("out/\(bad)")))
            let result = try #require(
                try BatchRunner(wrong, registry: registry).run().results.first)
            #expect(result.status == .failed)
            #expect(result.error?.code == (bad == "%d.png" ? .containerUnsupported : .badArgument))
            #expect(try files.list(folder.file("out")) == [".mediakit-journal.jsonl"])
        }
    }

    @Test("the chain that the issue names, with the built-in filters")
    func builtinChains() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        try MediaFixture.write(Signal.music(seconds: 3), folder.file("a.flac"))
        for (index, chain) in [
            "normalizer=target=-16:true_peak=-1", "volume=-3dB,alimiter",
            "audioEnhance=enable_surround=1:surround_effect_type=3DSurround:"
                + "enable_dialoguenhance=1:dialoguenhance_voice=6:enable_normalizer=1",
        ].enumerated() {
            let request = BatchRequest(
                inputs: [folder.file("a.flac")],
                chain: try FilterChain(parsing: chain, registry: registry),
                output: try OutputTemplate(parsing: folder.file("out\(index)/{stem}.{ext}")))
            let result = try #require(
                try BatchRunner(request, registry: registry).run().results.first)
            #expect(result.status == .done, "\(chain): \(String(describing: result.error))")
            guard chain.contains("normalizer") else { continue }
            let judged = try LoudnessJudgement(file: folder.file("out\(index)/a.flac"))
            #expect(abs(judged.integrated + 16) <= 0.15, "\(chain): \(judged) \(result.details)")
            #expect(judged.truePeak <= -0.9)
        }
    }

    @Test("names with spaces, quotes, newlines and bytes that are not UTF-8 reach FFmpeg whole")
    func oddNames() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        try MediaFixture.write(Signal.noise(level: -20, seconds: 0.5), folder.file("a.flac"))
        let bytes = try folder.read("a.flac")
        try files.makeFolder(folder.file("in"))
        let names = [
            "a b'\"\\.flac", "new\nline.flac", "-i.flac", "file:x.flac", "50%d {x}.flac",
            String(osBytes: [0xFF, 0x2E, 0x66, 0x6C, 0x61, 0x63]),
        ]
        for name in names { try folder.write("in/\(name)", bytes) }
        let request = try MediaFixture.request(
            [folder.file("in")], to: -20, output: folder.file("out/{name}"), registry: registry)
        let summary = try BatchRunner(request, registry: registry).run()
        #expect(summary.count(.done) == names.count, "\(summary.results.compactMap(\.error))")
        for name in names { #expect(try folder.read("out/\(name)").count > 1000) }
    }

    @Test("bare samples can't be measured again, which is said")
    func bareSamples() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        try MediaFixture.write(Signal.noise(level: -20, seconds: 1), folder.file("a.flac"))
        var request = try MediaFixture.request(
            [folder.file("a.flac")], to: -20, output: folder.file("x.f32le"), registry: registry)
        request.settings.container = "f32le"
        let result = try #require(
            try BatchRunner(request, registry: registry).run().results.first)
        #expect(result.status == .done, "\(String(describing: result.error))")
        #expect(result.details.warnings.contains { $0.contains("can't be measured") })
        #expect(try folder.read("x.f32le").count == 48_000 * 8)
    }

    @Test("an output whose ending means no container is refused before anything is read, dry too")
    func unknownEnding() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        try MediaFixture.write(Signal.noise(level: -20, seconds: 1), folder.file("a.wav"))
        for chain in ["volume=-3dB", "toTarget"] {
            let request = BatchRequest(
                inputs: [folder.file("a.wav")],
                chain: try FilterChain(parsing: chain, registry: registry),
                output: try OutputTemplate(parsing: folder.file("out/{stem}.qqq")))
            let runner = try BatchRunner(request, registry: registry)
            for summary in [try runner.plan(), try runner.run()] {
                #expect(summary.results.map(\.error?.code) == [.badArgument])
                #expect(summary.exitStatus == 1)
            }
        }
    }
}
