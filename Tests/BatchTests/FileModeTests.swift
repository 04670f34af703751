// Loudness normalisation in file mode, judged by FFmpeg's meter.

import Batch
import Glibc
import Loudness
import MediaCore
import MediaModel
import Pipeline
import TestSupport
import Testing

@Suite("Issue 2, quality of sound: file mode")
struct FileModeTests {
    /// A programme, how it is stored and what it is brought to.
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var make: @Sendable () throws -> Signal
        var layout = "stereo"
        var arguments: [String] = []
        var input = "flac"
        var output = "flac"
        var target = -16.0
        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "speech, mono, 44.1 kHz",
            make: { try Signal.speech(seconds: 6, rate: 44_100) }, layout: "mono"),
        Case(name: "music-like, 48 kHz", make: { Signal.music(seconds: 6) }),
        Case(
            name: "very quiet, 24 bit",
            make: { Signal.noise(level: -50, seconds: 5) },
            arguments: ["-sample_fmt", "s32"]),
        Case(
            name: "clipped",
            make: {
                let loud = Signal.music(seconds: 5).amplified(20)
                return Signal(
                    loud.planes.map { $0.map { max(-1, min(1, $0)) } }, rate: loud.rate)
            }),
        Case(
            name: "5.1", make: { Signal.music(seconds: 5, channels: 6).amplified(-6) },
            layout: "5.1"),
        Case(
            name: "96 kHz, WAV in, 24-bit FLAC out",
            make: { Signal.music(seconds: 5, rate: 96_000) }, arguments: ["-c:a", "pcm_s24le"],
            input: "wav"),
        Case(
            name: "limited: speech to -12",
            make: { try Signal.speech(seconds: 6, channels: 2) }, target: -12),
        Case(name: "MP3", make: { Signal.music(seconds: 6) }, output: "mp3"),
        Case(name: "AAC", make: { Signal.music(seconds: 6) }, output: "m4a"),
        Case(
            name: "Opus from 44.1 kHz", make: { Signal.music(seconds: 6, rate: 44_100) },
            output: "opus"),
    ]

    private func runner(_ request: BatchRequest, _ registry: PluginRegistry) throws -> BatchRunner {
        try BatchRunner(request, registry: registry)
    }

    @Test("loudness within 0.1 LU and peak under the ceiling, as FFmpeg measures", arguments: cases)
    func accuracy(_ row: Case) throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        let input = folder.file("in.\(row.input)")
        try MediaFixture.write(try row.make(), input, layout: row.layout, row.arguments)
        let request = try MediaFixture.request(
            [input], to: row.target, output: folder.file("out/x.\(row.output)"),
            registry: registry)
        let summary = try runner(request, registry).run()
        let result = try #require(summary.results.first)
        #expect(result.status == .done, "\(String(describing: result.error))")
        let judged = try LoudnessJudgement(file: folder.file("out/x.\(row.output)"))
        #expect(abs(judged.integrated - row.target) <= 0.1 + 0.05, "\(judged) \(result.details)")
        #expect(judged.truePeak <= -1 + 0.1, "\(judged) \(result.details)")
        // What is reported is what FFmpeg measures, to its one decimal.
        let after = try #require(result.details.after)
        #expect(abs(after.integrated - row.target) <= 0.1, "\(result.details)")
        #expect(abs(after.integrated - judged.integrated) <= 0.1)
        let peak = try #require(after.truePeak)
        #expect(abs(peak - judged.truePeak) <= 0.2)
        #expect(try MediaFixture.fact("sample_rate", of: folder.file("out/x.\(row.output)")) != "")
        #expect(result.details.warnings.isEmpty, "\(result.details.warnings)")
    }

    @Test("without a limiter the result is the input times one number")
    func onlyGain() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        try MediaFixture.write(Signal.music(seconds: 4), folder.file("in.flac"))
        let request = try MediaFixture.request(
            [folder.file("in.flac")], to: -23, output: folder.file("x.flac"), registry: registry)
        let details = try #require(try runner(request, registry).run().results.first?.details)
        #expect(!details.isLimited)
        let gain = try #require(details.gain)
        let factor = Float(pow(10, gain / 20))
        let source = try MediaFixture.samples(folder.file("in.flac"))
        let made = try MediaFixture.samples(folder.file("x.flac"))
        #expect(made.count == source.count)
        // Half a step of 16 bits for rounding.
        let worst = zip(made, source).map { abs($0 - $1 * factor) }.max() ?? 1
        #expect(worst <= 0.51 / 32768)
        // The loudness range is kept.
        let after = try #require(details.after)
        let before = try #require(details.before)
        #expect(abs(after.range - before.range) < 0.05)
    }

    @Test("what the ceiling does not allow is said, not compressed")
    func belowTarget() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        var clicks = Signal.noise(level: -50, seconds: 5)
        for channel in 0..<2 {
            for place in stride(from: 0, to: clicks.frames, by: 4800) {
                clicks.planes[channel][place] = 0.9
            }
        }
        try MediaFixture.write(clicks, folder.file("in.wav"))
        let request = try MediaFixture.request(
            [folder.file("in.wav")], to: -8, output: folder.file("x.flac"), registry: registry)
        let details = try #require(try runner(request, registry).run().results.first?.details)
        let after = try #require(details.after)
        #expect(after.integrated < -9)
        #expect((after.truePeak ?? 0) <= -0.9)
        #expect(details.warnings.contains { $0.contains("below the target") })
    }

    @Test("silence stays silence, and is said")
    func silence() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        try MediaFixture.write(Signal.silence(seconds: 2), folder.file("in.flac"))
        let request = try MediaFixture.request(
            [folder.file("in.flac")], to: -16, output: folder.file("x.flac"), registry: registry)
        let result = try #require(try runner(request, registry).run().results.first)
        #expect(result.status == .done)
        #expect(result.details.gain == 0)
        #expect(result.details.warnings == ["silence, left as it is"])
        #expect(
            try MediaFixture.digest(folder.file("x.flac"))
                == MediaFixture.digest(folder.file("in.flac")))
    }

    @Test("the same bytes from memory or read again, inline or on threads, 1 or 4 jobs")
    func determinism() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        for index in 0..<3 {
            try MediaFixture.write(
                Signal.music(seconds: 3).amplified(Double(-6 * index)), folder.file("\(index).flac")
            )
        }
        let inputs = (0..<3).map { folder.file("\($0).flac") }
        var first: [[UInt8]]?
        for (run, budget) in [(1, 256 << 20), (1, 0), (4, 256 << 20), (4, 1 << 20)].enumerated() {
            let output = folder.file("out\(run)/{stem}.flac")
            var request = try MediaFixture.request(
                inputs, to: -12, output: output, registry: registry)
            request.jobs = budget.0
            request.sampleBudget = budget.1
            #expect(try runner(request, registry).run().exitStatus == 0)
            let bytes = try (0..<3).map { try folder.read("out\(run)/\($0).flac") }
            if let first { #expect(bytes == first, "run \(run)") } else { first = bytes }
        }
    }

    @Test("the picture and other streams are copied, tags are kept, in place as well")
    func film() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        let film = folder.file("film.mkv")
        let made = try TestSupport.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=d=3:s=128x96", "-f", "lavfi",
                "-i", "sine=d=3:frequency=500", "-c:v", "mpeg4", "-c:a", "flac", "-metadata",
                "title=A film", film,
            ])
        #expect(made.status == 0, "\(made)")
        let picture = ["-map", "0:v", "-c", "copy"]
        let before = try MediaFixture.digest(film, picture)
        var request = try MediaFixture.request(
            [film], to: -20, output: folder.file("out.mkv"), registry: registry)
        #expect(try runner(request, registry).run().exitStatus == 0)
        #expect(try MediaFixture.digest(folder.file("out.mkv"), picture) == before)
        request.output = nil
        request.isInPlace = true
        #expect(try runner(request, registry).run().exitStatus == 0)
        #expect(try MediaFixture.digest(film, picture) == before)
        #expect(abs(try LoudnessJudgement(file: film).integrated + 20) <= 0.15)
        let tags = try TestSupport.run("ffprobe", ["-v", "error", "-show_format", film])
        #expect(tags.text.contains("TAG:title=A film"))
        let again = try runner(request, registry).run()
        #expect(again.count(.skipped) == 1)
    }

    @Test("an encoder's rate and layout are what is measured")
    func converted() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        try MediaFixture.write(
            Signal.music(seconds: 5, channels: 6).amplified(-6), folder.file("in.flac"),
            layout: "5.1")
        var request = try MediaFixture.request(
            [folder.file("in.flac")], to: -18, output: folder.file("x.flac"), registry: registry)
        request.settings.layout = .stereo
        request.settings.sampleRate = 44_100
        for budget in [0, 256 << 20] {
            request.sampleBudget = budget
            request.repeatsFinished = true
            let result = try #require(try runner(request, registry).run().results.first)
            #expect(result.status == .done, "\(String(describing: result.error))")
            #expect(try MediaFixture.fact("channels", of: folder.file("x.flac")) == "2")
            let judged = try LoudnessJudgement(file: folder.file("x.flac"))
            #expect(abs(judged.integrated + 18) <= 0.15, "\(judged) \(result.details)")
        }
    }
}
