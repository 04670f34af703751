// The example that decodes VVC, run as a user runs it.

import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("A2.15, issue 3 acceptance 1: scripts/examples/vvc.lua")
struct VVCScriptTests {
    /// Runs the example with the grants that a command line without options gives.
    private func run(_ arguments: [String], _ options: [String] = []) throws -> ChildResult {
        let folder = "\(Workshop.root)/.build"
        return try runMediakit(
            ["run"] + options + ["\(Workshop.root)/scripts/examples/vvc.lua"] + arguments,
            environment: ["MEDIAKIT_PLUGIN_PATH": try Workshop.vvc.get()], folder: folder)
    }

    @Test(
        "codec, size, decoder and why, pictures; the MD5 of each equals FFmpeg's",
        arguments: VVCTests.samples)
    func decodes(_ sample: VVCTests.Sample) throws {
        let folder = try TemporaryFolder()
        let output = folder.file("out.framemd5")
        let result = try run([sample.path, output])
        #expect(result.status == 0, "\(result)")
        let expected = VVCTests.hashes(try readFile(sample.reference))
        #expect(VVCTests.hashes(try readFile(output)) == expected)
        let lines = result.text.split(separator: "\n")
        #expect(lines.contains { $0.contains("video vvc, \(sample.width)x18") }, "\(result.text)")
        #expect(lines.contains { $0.hasPrefix("  decoder: vvc ") && $0.hasSuffix("in software") })
        // FFmpeg 7.1 has a decoder of its own, which the plugin outranks.
        let reasons = ["the only decoder for it", "rank 10, before libav with 0"]
        #expect(lines.contains { reasons.map { "  why:     " + $0 }.contains(String($0)) })
        #expect(lines.last == "\(expected.count) pictures")
    }

    @Test("without arguments it takes a sample of the repository and ends with one MD5")
    func alone() throws {
        let result = try run([], ["--allow-read=\(Workshop.root)/vvc/samples"])
        #expect(result.status == 0, "\(result)")
        #expect(result.text.contains("MD5="))
        #expect(!result.text.contains("stream 1"))
        #expect(result.text.contains("mandelbrot_320x180_10b.mp4"))
        #expect(result.text.contains("\n50 pictures\n") == true, "\(result.text)")
    }

    @Test("without the plugin, where FFmpeg has no decoder: the event, what to do, status 2")
    func absent() throws {
        let script = "\(Workshop.root)/scripts/examples/vvc.lua"
        let sample = "\(Workshop.root)/vvc/samples/mandelbrot_320x180_10b.mp4"
        let result = try runMediakit(["run", script, sample])
        guard result.status != 0 else {
            // FFmpeg 7.1 decodes it by itself.
            #expect(result.text.contains("decoder: libav "))
            return
        }
        #expect(result.text.contains("stream 0: nothing here decodes vvc"), "\(result)")
        #expect(result.errorText.contains("video codec not supported: VVC; name a plugin"))
    }

    @Test("the number of threads is set by an option of the decoder, within its range")
    func threads() throws {
        let bench = try VVCTests.bench()
        try bench.registry.setOptions(.decoder, "vvc", ["threads": .int(2)])
        let sample = VVCTests.samples[1]
        let expected = VVCTests.hashes(try readFile(sample.reference))
        #expect(try VVCTests.digest(sample.path, bench) == expected)
        #expect(throws: MediaError.self) {
            try bench.registry.setOptions(.decoder, "vvc", ["threads": .int(65)])
        }
    }
    @Test("options of demuxers and decoders, from the command line and from a script")
    func options() throws {
        let sample = VVCTests.samples[1]
        func probe(_ options: [String]) throws -> ChildResult {
            try runMediakit(
                ["probe", "--json", sample.path, "--plugin", try Workshop.vvc.get()] + options)
        }
        let usual = try JSON(parsing: probe([]).output)["duration"]?.number ?? 0
        let fast = try JSON(parsing: probe(["--demuxer-option", "vvc-raw:frame_rate=50"]).output)
        #expect(abs((fast["duration"]?.number ?? 0) - usual / 2) < 0.01)
        #expect(
            fast["streams"]?.elements?.first?["decoder"]?["name"] == .string("vvc"))
        for (option, expected) in [
            ("vvc-raw:frame_rate=0.5", "option 'frame_rate': '0.5' is not 1…1000 Hz"),
            ("vvc-raw:frame_rat=50", "did you mean 'frame_rate'"),
            ("vvcraw:frame_rate=50", "did you mean 'vvc-raw'"),
            ("vvc-raw", "is not NAME:OPTION=VALUE"), ("vvc-raw:rate", "is not NAME:OPTION=VALUE"),
        ] {
            let refused = try probe(["--demuxer-option", option])
            #expect(refused.status == 2)
            #expect(refused.errorText.contains(expected), "\(refused)")
        }
        let folder = try TemporaryFolder()
        let script = try folder.write(
            "script.lua",
            """
            mk.plugins.set_options("demuxer", "vvc-raw", { frame_rate = 50 })
            mk.plugins.set_options("decoder", "vvc", { threads = 1 })
            local player <close> = mk.player{ clock = "free" }
            print(player:open(arg[1]).duration)
            player:play()
            assert(player:wait(20))
            print(player:get("frames").video)
            """.utf8)
        let result = try runMediakit([
            "run", "--plugin", try Workshop.vvc.get(), script, sample.path,
        ])
        #expect(result.text.split(separator: "\n").last == "50", "\(result)")
        #expect(Double(result.text.split(separator: "\n").first ?? "") == usual / 2)
    }
}
