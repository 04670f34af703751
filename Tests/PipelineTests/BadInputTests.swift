// What a run says of input and output that are not as they should be.

import MediaCore
import MediaModel
import Pipeline
import TestSupport
import Testing

@Suite("Bad input and output of the transcoder", .timeLimit(.minutes(20)))
struct TranscoderFailureTests {
    static let ways = [Threading.inline, Threading.pipelined]

    private func code(_ body: () throws -> Void) -> MediaError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? MediaError)?.code
        }
    }

    @Test("no audio stream", arguments: ways)
    func noSound(threading: Threading) throws {
        let bench = try Workbench()
        let found = code {
            try bench.transcode(
                "synth:testsrc2=size=64x48:duration=1", to: "out.mkv", chain: "volume=-3dB"
            ) { $0.threading = threading }
        }
        #expect(found == .noSuchStream)
    }

    @Test("zero-length audio", arguments: ways)
    func noSamples(threading: Threading) throws {
        let bench = try Workbench()
        let empty = MediaRecipe(
            name: "empty.wav", arguments: MediaRecipe.noise + ["-t", "0"])
        let input = try empty.make(in: bench.folder)
        let found = code {
            try bench.transcode(input, to: "out.flac", chain: "volume=-3dB") {
                $0.threading = threading
            }
        }
        #expect(found == .decodeFailed || found == .noSuchStream)
    }

    @Test("a part beyond the end", arguments: ways)
    func beyond(threading: Threading) throws {
        let bench = try Workbench()
        let (input, _) = try bench.transcode(Workbench.synth(1), to: "in.flac")
        let found = code {
            try bench.transcode(input, to: "out.flac") {
                $0.start = MediaTime(seconds: 5)
                $0.threading = threading
            }
        }
        #expect(found == .badArgument)
    }

    @Test("damaged packets are skipped with a warning; nothing but damage is an error")
    func damage() throws {
        let bench = try Workbench()
        let recipe = MediaRecipe(
            name: "in.mka", arguments: MediaRecipe.sound + ["-c:a", "aac", "-f", "matroska"])
        let input = try recipe.make(in: bench.folder)
        var bytes = try readFile(input)
        var random = SeededRandom(seed: 5)
        for _ in 0..<60 {
            let place = bytes.count / 3 + Int(random.next() % UInt64(bytes.count / 3))
            bytes[place] = UInt8(truncatingIfNeeded: random.next())
        }
        let damaged = try bench.folder.write("damaged.mka", bytes)
        let (output, _) = try bench.transcode(damaged, to: "out.flac", chain: "volume=0dB")
        #expect(try bench.sound(output).frames > 40_000)
        let unlike = UnlikeDecoder.plugin
        let broken = try Workbench([unlike])
        let found = code {
            try broken.transcode(input, to: "out.flac", chain: "volume=0dB") {
                $0.outputPath = bench.folder.file("out.flac")
            }
        }
        #expect(found == .decodeFailed)
    }

    @Test("sample rate and layout changing mid-stream", arguments: ways)
    func changingFormat(threading: Threading) throws {
        let bench = try Workbench()
        var stream: [UInt8] = []
        for (rate, channels) in [("44100", "2"), ("48000", "1"), ("44100", "2")] {
            let part = try run(
                "ffmpeg",
                ["-v", "error"] + MediaRecipe.sound
                    + ["-ar", rate, "-ac", channels, "-c:a", "aac", "-f", "adts", "-"])
            stream += part.output
        }
        let input = try bench.folder.write("mixed.aac", stream)
        let (output, report) = try bench.transcode(input, to: "out.flac", chain: "volume=0dB") {
            $0.threading = threading
        }
        let sound = try bench.sound(output)
        #expect(sound.rate == 44_100)
        #expect(sound.planes.count == 2)
        #expect(abs(Double(sound.frames) / 44_100 - 6) < 0.3)
        #expect(report.encoded.count == 1)
    }

    @Test("timestamps jumping back", arguments: ways)
    func jumpingBack(threading: Threading) throws {
        let bench = try Workbench([
            FakeSourcePlugin([
                "jump": (Workbench.synth(2), [.packets(20), .jump(MediaTime(seconds: -10))])
            ])
        ])
        let (output, report) = try bench.transcode(
            "fake:jump", to: "out.mka", chain: "volume=0dB"
        ) {
            $0.threading = threading
            $0.settings.audioEncoder = "flac"
        }
        #expect(report.warnings.contains { $0.contains("jump back by 10") }, "\(report.warnings)")
        #expect(try bench.sound(output).frames == 96_000)
    }

    @Test("a source that fails in the middle", arguments: ways)
    func failingSource(threading: Threading) throws {
        let failure = MediaError(.inputFailed, "the cable is out")
        let bench = try Workbench([
            FakeSourcePlugin(["fail": (Workbench.synth(2), [.packets(20), .fail(failure)])])
        ])
        #expect(throws: failure) {
            try bench.transcode("fake:fail", to: "out.flac", chain: "volume=0dB") {
                $0.threading = threading
            }
        }
    }

    @Test("an output that fails: the code of the file's error", arguments: ways)
    func failingOutput(threading: Threading) throws {
        let bench = try Workbench()
        for code in [MediaError.Code.diskFull, .outputFailed] {
            var request = TranscodeRequest(
                url: Workbench.synth(20), outputPath: bench.folder.file("out.flac"))
            request.settings.audioEncoder = "flac"
            request.threading = threading
            let file = FullFile(after: 50_000, code)
            let found = self.code {
                _ = try Transcoder(request, registry: bench.registry).run(into: file)
            }
            #expect(found == code)
        }
    }

    @Test(
        "cancelling ends a run at once: while reading stalls, and while work is endless",
        arguments: ways)
    func cancels(threading: Threading) throws {
        let gate = Gate()
        let bench = try Workbench([
            FakeSourcePlugin(["stall": (Workbench.synth(2), [.packets(20), .stall(gate)])])
        ])
        for url in ["fake:stall", "synth:sine"] {
            let token = CancellationToken()
            let stopped = Monitor(MediaTime.zero)
            let canceller = WorkerThread("mk-test") {
                _ = Monitor(false).wait(until: SystemTimeSource().now + .milliseconds(300)) {
                    $0 ? true : nil
                }
                stopped.withLock { $0 = SystemTimeSource().now }
                token.cancel()
            }
            let found = code {
                try bench.transcode(
                    url, to: "out.flac", chain: "volume=0dB", cancellation: token
                ) { $0.threading = threading }
            }
            let delay = SystemTimeSource().now - stopped.withLock { $0 }
            canceller.join()
            #expect(found == .cancelled)
            // Neither of them would ever end by itself.
            #expect(delay.seconds < Sanitizer.patience(10))
        }
    }
}

/// A file that takes so many bytes.
private final class FullFile: OpenFile {
    private var room: Int
    private let code: MediaError.Code

    init(after room: Int, _ code: MediaError.Code) {
        self.room = room
        self.code = code
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int { 0 }
    func write(_ buffer: UnsafeRawBufferPointer) throws(MediaError) {
        room -= buffer.count
        if room < 0 { throw MediaError(code, "write out.flac: no room") }
    }
    func seek(to offset: Int64) throws(MediaError) {}
    func truncate(to size: Int64) throws(MediaError) {}
    func claim() throws(MediaError) -> Bool { true }
    var size: Int64? { nil }
    func sync() throws(MediaError) {}
    func close() throws(MediaError) {}
}

/// A decoder for which every packet is damaged.
private final class UnlikeDecoder: Decoder {
    struct Plugin: DecoderPlugin {
        var info: PluginInfo { PluginInfo(name: "unlike", summary: "Decodes nothing.", rank: 9) }
        func supports(_ parameters: CodecParameters) -> Bool { true }
        func makeDecoder(
            _ stream: StreamInfo, _ request: DecoderRequest
        ) throws(MediaError) -> sending any Decoder { UnlikeDecoder() }
    }

    static let plugin = Plugin()

    private var isDrained = false

    func send(_ packet: Packet?) throws(MediaError) {
        isDrained = packet == nil
        if packet != nil { throw MediaError(.decodeFailed, "unlike anything") }
    }
    func receive() throws(MediaError) -> Pull<Frame> { isDrained ? .endOfStream : .needsInput }
    func flush() {}
}
