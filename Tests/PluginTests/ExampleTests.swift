// The example plugins in C, built by their own instructions, behave like built-in ones.

import MediaCore
import MediaModel
import Plugins
import TestSupport
import Testing

@Suite("issue 3: plugins in plain C")
struct ExampleTests {
    @Test("the header compiles alone as C11 and as C++17", arguments: ["c11", "c++17"])
    func header(_ standard: String) throws {
        let language = standard == "c11" ? "c" : "c++"
        let result = try run(
            "cc",
            [
                "-x", language, "-std=\(standard)", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                "-fsyntax-only", "\(Workshop.header)/mediakit_plugin.h",
            ])
        #expect(result.status == 0, "\(result)")
    }

    @Test("a plugin in C++ that throws nothing works the same")
    func cxx() throws {
        let folder = try TemporaryFolder()
        let source = try folder.write(
            "plus.cc",
            """
            #include <mediakit_plugin.h>
            static mk_plugin plugin;
            extern "C" MK_EXPORT const mk_plugin *mediakit_plugin(const mk_host *) {
                plugin.struct_size = sizeof plugin;
                plugin.api_version = MK_API_VERSION;
                plugin.name = "plus";
                plugin.version = "1";
                return &plugin;
            }

            """.utf8)
        let result = try run(
            "c++",
            [
                "-std=c++17", "-shared", "-fPIC", "-I", Workshop.header, source, "-o",
                folder.file("plus.so"),
            ])
        #expect(result.status == 0, "\(result)")
        #expect(try Bench().loader.load(folder.file("plus.so")).name == "plus")
    }

    private func filtered(
        _ bench: Bench, _ options: [String: OptionValue], _ signal: Signal, chunk: Int,
        flushAfter: Int? = nil
    ) throws -> [[Float]] {
        let filter = try bench.registry.makeFilter(FilterSpec(.named("tremolo-c", options)))
        let format = AudioFormat(sampleRate: signal.rate, layout: .stereo)
        #expect(filter.acceptedInput.contains(format))
        #expect(try filter.configure(format, accepting: AudioFormatSet()) == format)
        var output: [[Float]] = [[], []]
        func push(_ range: Range<Int>) throws {
            let frame = Frame.makeAudio(
                format, sampleCount: range.count, pts: Int64(range.lowerBound))
            frame.withFloatPlanes { planes in
                for channel in 0..<2 {
                    for i in range {
                        planes[channel][i - range.lowerBound] = signal.planes[channel][i]
                    }
                }
            }
            let isShared = range.lowerBound % 2 == 1
            let other = isShared ? frame.stamped(pts: 0, timeBase: frame.timeBase) : nil
            try filter.process(frame) { result in
                #expect(result.pts == Int64(range.lowerBound))
                result.withFloatPlanes { planes in
                    for channel in 0..<2 {
                        output[channel] += UnsafeBufferPointer(
                            start: planes[channel], count: result.sampleCount)
                    }
                }
            }
            // Who else has the samples still sees them as they were.
            other?.withFloatPlanes { planes in
                #expect(planes[0][0] == signal.planes[0][range.lowerBound])
            }
        }
        if let count = flushAfter {
            try push(0..<count)
            filter.flush()
            output = [[], []]
        }
        for start in stride(from: 0, to: signal.planes[0].count, by: chunk) {
            try push(start..<min(start + chunk, signal.planes[0].count))
        }
        try filter.process(nil) { _ in Issue.record("nothing is held back") }
        return output
    }

    @Test(
        "the filter changes the sound as it says, however it is cut",
        arguments: [1, 7, 1024, 48_000])
    func tremolo(chunk: Int) throws {
        let folder = try TemporaryFolder()
        let bench = try Bench()
        let origin = try bench.loader.load(try Workshop.example("tremolo", in: folder))
        #expect(origin.license == "0BSD")
        let signal = Signal.noise(level: -6, seconds: chunk == 1 ? 0.05 : 1)
        let whole = try filtered(
            bench, ["depth": .double(1)], signal, chunk: signal.planes[0].count)
        let cut = try filtered(bench, ["depth": .double(1)], signal, chunk: chunk, flushAfter: 500)
        #expect(whole == cut)
        #expect(whole[0].count == signal.planes[0].count)
        let still = try filtered(bench, ["depth": .double(0)], signal, chunk: chunk)
        #expect(still == signal.planes)
        #expect(whole != signal.planes)
    }

    @Test("live options change while sound passes, unknown ones are refused by the registry")
    func update() throws {
        let folder = try TemporaryFolder()
        let bench = try Bench()
        try bench.loader.load(try Workshop.example("tremolo", in: folder))
        let (plugin, options) = try bench.registry.options("tremolo-c", ["depth": .double(0)])
        let filter = try plugin.makeFilter(options)
        #expect(
            try filter.update(Options(["depth": .double(1)], specs: plugin.options, owner: ""))
                == .applied)
        #expect(plugin.options.map(\.isLive) == [true, true])
        #expect(plugin.options[1].unit == "Hz")
    }

    private func decode(
        _ source: any MediaSource, _ decoder: any Decoder
    ) throws -> (first: Int64?, samples: [Int16]) {
        var samples: [Int16] = []
        var first: Int64?
        while true {
            switch try decoder.receive() {
            case .value(let frame):
                first = first ?? frame.pts
                frame.withPlane(0, as: Int16.self) { samples += $0 }
            case .needsInput: try decoder.send(try source.readPacket())
            case .endOfStream: return (first, samples)
            }
        }
    }

    @Test(
        "codec and container of one's own decode exactly and can be sought in",
        arguments: [1, 2, 6])
    func toy(channels: Int) throws {
        let folder = try TemporaryFolder()
        let bench = try Bench()
        try bench.loader.load(try Workshop.example("toy", in: folder))
        let file = ToyFile(packets: [1000, 1, 777, 4096], channels: channels)
        let source = try bench.open(try folder.write("a.toy", file.bytes))
        defer { source.close() }
        #expect(source.info.containerName == "toy")
        let stream = try #require(source.info.streams.first)
        #expect(stream.parameters.codecName == "toy")
        #expect(stream.parameters.audioFormat?.channelCount == channels)
        let decoder = try bench.registry.makeDecoder(stream, threads: 1)
        let all = try decode(source, decoder)
        #expect(all.samples == file.samples)
        #expect(all.first == 0)
        let landed = try source.seek(to: TimeBase(1, 44_100).time(ticks: 1500))
        #expect(landed == TimeBase(1, 44_100).time(ticks: 1001))
        decoder.flush()
        let rest = try decode(source, decoder)
        #expect(rest.first == 1001)
        #expect(rest.samples == Array(file.samples.dropFirst(1001 * channels)))
    }

    @Test("files cut short give an error, never a crash")
    func cutShort() throws {
        let folder = try TemporaryFolder()
        let bench = try Bench()
        try bench.loader.load(try Workshop.example("toy", in: folder))
        let file = ToyFile(packets: [100, 100], channels: 2)
        for count in stride(from: 9, to: file.bytes.count, by: 37) {
            let path = try folder.write("cut.toy", file.bytes.prefix(count))
            let source = try bench.open(path)
            defer { source.close() }
            let stream = try #require(source.info.streams.first)
            let decoder = try bench.registry.makeDecoder(stream, threads: 1)
            do {
                let got = try decode(source, decoder)
                #expect(got.samples == Array(file.samples.prefix(got.samples.count)))
            } catch let error as MediaError {
                #expect(error.code == .containerMalformed)
            }
        }
    }

    private func isMapped(_ path: String) throws -> Bool {
        String(decoding: try readFile("/proc/self/maps"), as: UTF8.self).contains(path)
    }

    @Test("unloading waits for the last decoder and the last frame")
    func deferredUnload() throws {
        let folder = try TemporaryFolder()
        let bench = try Bench()
        let path = try Workshop.example("toy", in: folder)
        let file = ToyFile(packets: [1000, 1000], channels: 1)
        try bench.loader.load(path)
        var source: (any MediaSource)? = try bench.open(try folder.write("a.toy", file.bytes))
        let stream = try #require(source?.info.streams.first)
        var decoder: (any Decoder)? = try bench.registry.makeDecoder(stream, threads: 1)
        #expect(try bench.loader.unload("toy") == .deferred)
        #expect(bench.loader.loaded.isEmpty)
        #expect(throws: MediaError.self) { try bench.registry.makeDecoder(stream, threads: 1) }
        try decoder?.send(try source?.readPacket())
        var frame: Frame?
        if case .value(let value)? = try decoder?.receive() { frame = value }
        source?.close()
        source = nil
        decoder = nil
        #expect(try isMapped(path))
        #expect(
            frame?.withPlane(0, as: Int16.self) { Array($0) } == Array(file.samples.prefix(1000)))
        frame = nil
        #expect(try !isMapped(path))
        #expect(throws: MediaError.self) { try bench.loader.unload("toy") }
        try bench.loader.load(path)
        #expect(try bench.loader.unload(path) == .done)
        #expect(try !isMapped(path))
    }

    @Test("loaded twice it is initialised once, and shut down with the last")
    func twice() throws {
        let folder = try TemporaryFolder()
        let path = try Workshop.plugin(
            "twice", in: folder,
            parts: """
                static int alive;
                static int32_t init(const mk_host *host) {
                    (void)host;
                    return alive++ ? MK_FAILED : MK_OK;
                }
                static void shutdown_(void) { alive--; }

                """
                    + Workshop.idleDecoder(
                        "twice", codec: "odd", create: "if (alive) *self = malloc(1);"),
            members: Workshop.decoderMembers + ", .init = init, .shutdown = shutdown_")
        let stream = StreamInfo(
            index: 0, parameters: CodecParameters(CodecDescription(kind: .audio, codecName: "odd")),
            timeBase: TimeBase(1, 48_000))
        let benches = [try Bench(), try Bench()]
        for bench in benches {
            try bench.loader.load(path)
            _ = try bench.registry.makeDecoder(stream, threads: 1)
        }
        #expect(try benches[0].loader.unload("twice") == .done)
        #expect(try isMapped(path))
        _ = try benches[1].registry.makeDecoder(stream, threads: 1)
        #expect(try benches[1].loader.unload("twice") == .done)
        #expect(try !isMapped(path))
    }
}
