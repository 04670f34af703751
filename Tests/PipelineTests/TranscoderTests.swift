// Whole runs: bytes, trims, copies, encoders, feeds.

import MediaCore
import MediaModel
import Pipeline
import TestSupport
import Testing

@Suite("Transcoder")
struct TranscoderTests {
    @Test(
        "one, two and eight threads give the same bytes",
        arguments: ["out.flac", "out.mp3", "out.m4a", "out.mkv", "out.wav"])
    func sameBytes(name: String) throws {
        let bench = try Workbench()
        let film = MediaRecipe(
            name: "film.mkv", arguments: MediaRecipe.film + ["-c:v", "libx264", "-c:a", "flac"])
        let input = try film.make(in: bench.folder)
        let (alone, _) = try bench.transcode(input, to: name, chain: "volume=-3dB,alimiter") {
            $0.threading = .inline
            $0.settings.isBitExact = true
        }
        let expected = try readFile(alone)
        #expect(expected.count > 1000)
        let results = Monitor<[[UInt8]]>([])
        let workers = (0..<8).map { number in
            WorkerThread("mk-test") { [bench] in
                let run = try? bench.transcode(
                    input, to: "\(number)-\(name)", chain: "volume=-3dB,alimiter"
                ) {
                    $0.outputPath = alone
                    $0.settings.isBitExact = true
                }
                let bytes = run.flatMap { try? readFile($0.path) } ?? []
                results.withLock { $0.append(bytes) }
            }
        }
        for worker in workers { worker.join() }
        let isSame = results.withLock { $0.allSatisfy { $0 == expected } && $0.count == 8 }
        #expect(isSame)
    }

    @Test("trim is exact to the sample", arguments: [Threading.inline, .pipelined])
    func trims(threading: Threading) throws {
        let bench = try Workbench()
        let (input, _) = try bench.transcode(Workbench.synth(4), to: "in.flac")
        let whole = try bench.sound(input)
        let (part, report) = try bench.transcode(input, to: "part.flac") {
            $0.start = MediaTime(seconds: 1.00001)
            $0.duration = MediaTime(seconds: 1.5)
            $0.threading = threading
        }
        #expect(try bench.sound(part).isSame(as: whole.cut(48_000..<120_000)))
        #expect(report.encoded.first?.samplesOut == 72_000)
    }

    @Test("what nobody touches is copied bit for bit; the picture leads up to the start of a part")
    func copies() throws {
        let bench = try Workbench()
        let film = MediaRecipe(
            name: "film.mp4",
            arguments: MediaRecipe.film + ["-c:v", "libx264", "-g", "10", "-c:a", "aac"]
                + ["-metadata", "title=Ferry"])
        let input = try film.make(in: bench.folder)
        let (output, report) = try bench.transcode(input, to: "out.mp4", chain: "volume=-3dB")
        #expect(report.copied == [0])
        #expect(report.encoded.map(\.codec) == ["aac"])
        #expect(try pictures(input) == pictures(output))
        let source = try bench.registry.openSource(
            output, SourceContext(registry: bench.registry))
        #expect(source.info.metadata.contains(MetadataEntry("title", "Ferry")))
        source.close()
        let (part, _) = try bench.transcode(input, to: "part.mp4", chain: "volume=-3dB") {
            $0.start = MediaTime(seconds: 1)
            $0.duration = MediaTime(seconds: 0.5)
        }
        let count = try pictures(part).count
        #expect((12...23).contains(count), "\(count) pictures")
    }

    /// Hashes of the packets of pictures.
    private func pictures(_ path: String) throws -> [Substring] {
        let result = try run(
            "ffmpeg",
            ["-v", "error", "-i", path, "-map", "0:v", "-c", "copy", "-f", "framehash", "-"])
        return result.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: ",").last }
    }

    @Test("with nothing to do every stream is copied")
    func copiesAll() throws {
        let bench = try Workbench()
        let (input, _) = try bench.transcode(Workbench.synth(1), to: "in.flac")
        let (_, report) = try bench.transcode(input, to: "out.flac")
        #expect(report.copied == [0])
        #expect(report.encoded.isEmpty)
    }

    @Test(
        "the input's codec is kept where the container takes it",
        arguments: [
            ("flac", "out.flac", "flac"), ("flac", "out.mka", "flac"), ("flac", "out.mp3", "mp3"),
            ("libmp3lame", "out.mp3", "mp3"), ("aac", "out.m4a", "aac"),
            ("aac", "out.wav", "pcm_s16le"),
            ("flac", "out.ogg", "flac"), ("pcm_s24le", "out.wav", "pcm_s24le"),
            ("libvorbis", "out.ogg", "vorbis"), ("libopus", "out.opus", "opus"),
            ("libopus", "out.webm", "opus"), ("alac", "out.m4a", "alac"),
            ("ac3", "out.mp4", "ac3"), ("wavpack", "out.mka", "wavpack"),
            // FFmpeg has an experiment only.
            ("truehd", "out.mka", "vorbis"),
        ])
    func encoders(codec: String, output: String, expected: String) throws {
        let bench = try Workbench()
        let (input, _) = try bench.transcode(Workbench.synth(1), to: "in.mka") {
            $0.settings.audioEncoder = codec
            $0.settings.audioOptions = ["strict": "experimental"]
        }
        let (_, report) = try bench.transcode(input, to: output, chain: "volume=-1dB")
        #expect(report.encoded.map(\.codec) == [expected])
    }

    @Test("24 bits stay 24 bits, through filters too")
    func depth() throws {
        let bench = try Workbench()
        let deep = MediaRecipe(
            name: "deep.flac", arguments: MediaRecipe.noise + ["-sample_fmt", "s32"])
        let input = try deep.make(in: bench.folder)
        for (name, codec) in [("out.flac", "flac"), ("out.wav", "pcm_s24le")] {
            let (output, report) = try bench.transcode(input, to: name, chain: "volume=0dB")
            #expect(report.encoded.map(\.codec) == [codec])
            let isSame = try bench.sound(output).isSame(as: try bench.sound(input))
            #expect(isSame)
        }
    }

    @Test("sound that goes untouched into a WAV file becomes bare samples")
    func bareSamples() throws {
        let bench = try Workbench()
        let (input, _) = try bench.transcode(Workbench.synth(1), to: "in.m4a")
        let (_, report) = try bench.transcode(input, to: "out.wav")
        #expect(report.encoded.map(\.codec) == ["pcm_s16le"])
    }

    @Test("rate and layout by option")
    func settings() throws {
        let bench = try Workbench()
        let (output, report) = try bench.transcode(Workbench.synth(1), to: "out.flac") {
            $0.settings.sampleRate = 22_050
            $0.settings.layout = .mono
        }
        #expect(report.encoded.first?.outputFormat?.sampleRate == 22_050)
        let sound = try bench.sound(output)
        #expect(sound.planes.count == 1)
        #expect(abs(sound.frames - 22_050) <= 1)
        #expect(throws: MediaError.self) {
            try bench.transcode(Workbench.synth(1), to: "out.mp3") {
                $0.settings.sampleRate = 12_345
            }
        }
    }

    @Test(
        "a feed of decoded frames gives what decoding gives",
        arguments: [Threading.inline, .pipelined])
    func feeds(threading: Threading) throws {
        let bench = try Workbench()
        let film = MediaRecipe(
            name: "film.mkv", arguments: MediaRecipe.film + ["-c:v", "libx264", "-c:a", "flac"])
        let input = try film.make(in: bench.folder)
        let kept = Monitor<[Frame]>([])
        _ = try FrameReader(FrameRequest(url: input), registry: bench.registry).run { frame in
            kept.withLock { $0.append(frame) }
        }
        let (direct, _) = try bench.transcode(input, to: "direct.mkv", chain: "volume=-3dB")
        let (fed, report) = try bench.transcode(input, to: "fed.mkv", chain: "volume=-3dB") {
            $0.threading = threading
            $0.feed = AudioFeed { kept.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        }
        #expect(report.copied == [0])
        #expect(try bench.sound(fed).distance(to: try bench.sound(direct)) < 1e-4)
        #expect(try pictures(fed) == pictures(direct))
    }

    @Test("filters made by a program stand where they are put", arguments: [0, 1, Int.max])
    func extras(position: Int) throws {
        let bench = try Workbench()
        let seen = Monitor<[String]>([])
        let (output, _) = try bench.transcode(
            Workbench.synth(0.5), to: "out.flac", chain: "aformat=sample_fmts=flt"
        ) {
            $0.extra = ExtraFilters(at: position) { [Probe(seen)] }
        }
        #expect(try bench.sound(output).frames == 24_000)
        #expect(seen.withLock { $0 } == [position == 0 ? "s16" : "flt"])
    }

    /// Notes the format it gets and lets everything pass.
    private final class Probe: AudioFilter {
        private let seen: Monitor<[String]>
        init(_ seen: Monitor<[String]>) { self.seen = seen }
        func configure(
            _ input: AudioFormat, accepting output: AudioFormatSet
        ) throws(MediaError) -> AudioFormat {
            seen.withLock { $0.append(input.sampleFormat.rawValue) }
            return input
        }
        func process(
            _ input: Frame?, emit: (Frame) throws(MediaError) -> Void
        ) throws(MediaError) {
            if let input { try emit(input) }
        }
        func flush() {}
    }

    @Test func progressComesInOrderAndEndsAtTheEnd() throws {
        let bench = try Workbench()
        let (input, _) = try bench.transcode(Workbench.synth(2), to: "in.flac")
        let seen = Monitor<[MediaTime]>([])
        var request = TranscodeRequest(url: input, outputPath: bench.folder.file("out.flac"))
        request.chain = try FilterChain(parsing: "volume=-3dB", registry: bench.registry)
        let file = try SystemFileSystem().open(request.outputPath, .overwrite)
        _ = try Transcoder(request, registry: bench.registry).run(into: file) { position, length in
            seen.withLock { $0.append(position) }
            #expect(length == MediaTime(seconds: 2))
        }
        let positions = seen.withLock { $0 }
        #expect(positions == positions.sorted())
        #expect(positions.last == MediaTime(seconds: 2))
    }
}
