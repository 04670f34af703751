// What plugins give that no medium can mean, and what they break of the header's promises.

import MediaCore
import MediaModel
import Plugins
import TestSupport
import Testing

@Suite("issue 3, bad input: plugins that break promises")
struct BrokenPromiseTests {
    private let folder: TemporaryFolder
    private let bench: Bench

    init() throws {
        folder = try TemporaryFolder()
        bench = try Bench()
    }

    private func open(_ parts: Workshop.OddParts) throws -> (any MediaSource, any Decoder) {
        try bench.loader.load(try Workshop.oddMedium("odd", in: folder, parts))
        let source = try bench.open(try folder.write("x.odd", Array("ODD1".utf8)))
        let stream = try #require(source.info.streams.first)
        return (source, try bench.registry.makeDecoder(stream, threads: 1))
    }

    private func frames(_ source: any MediaSource, _ decoder: any Decoder) throws -> [Frame] {
        var frames: [Frame] = []
        while true {
            switch try decoder.receive() {
            case .value(let frame): frames.append(frame)
            case .needsInput: try decoder.send(try source.readPacket())
            case .endOfStream: return frames
            }
        }
    }

    @Test(
        "times that no medium can mean are unknown", arguments: ["INT64_MAX - 107", "-INT64_MAX"])
    func hugePacketTimes(_ time: String) throws {
        var parts = Workshop.OddParts()
        parts.packet = "if (r->n > 3) { p->pts = p->dts = \(time); p->duration = INT64_MAX; }"
        let (source, decoder) = try open(parts)
        defer { source.close() }
        let packet = try #require(try (0..<4).map { _ in try source.readPacket() }.last ?? nil)
        #expect(packet.pts == nil)
        #expect(packet.dts == nil)
        #expect(packet.duration == 0)
        let times = try frames(source, decoder).map(\.pts)
        #expect(times == (0..<46).map { Int64($0) })
        // The whole way, with whatever reckons with them.
        let result = try runMediakit(
            ["play", "--plugin", folder.file("odd.so"), "--sink", "framemd5", "x.odd"],
            folder: folder.path)
        #expect(result.status == 0, "\(result)")
    }

    @Test("so are those of frames", arguments: ["INT64_MAX - 1", "INT64_MIN + 1"])
    func hugeFrameTimes(_ time: String) throws {
        var parts = Workshop.OddParts()
        parts.frame = "f->pts = \(time); f->duration = INT64_MAX;"
        let (source, decoder) = try open(parts)
        defer { source.close() }
        let times = try frames(source, decoder).map(\.pts)
        #expect(times == (0..<50).map { Int64($0) })
    }

    @Test(
        "packets of no size that memory has are refused",
        arguments: ["p->size = (size_t)1 << 62;", "p->data = NULL;"])
    func hugePacket(_ change: String) throws {
        var parts = Workshop.OddParts()
        parts.packet = change
        let (source, _) = try open(parts)
        defer { source.close() }
        let error = #expect(throws: MediaError.self) { try source.readPacket() }
        #expect(error?.code == .containerMalformed)
        #expect(error?.message.contains("with plugin odd") == true, "\(error?.message ?? "")")
    }

    private static let palette = """
        static uint32_t colours[256];
        for (int i = 0; i < 256; i++) colours[i] = 0xFF000000u | (uint32_t)(i * 0x010203);
        for (int i = 0; i < 64 * 48; i++) bytes[i] = (uint8_t)(i % 64);
        f->pixel_format = "pal8";
        (void)colours;
        """

    @Test("a picture with a palette has its colours")
    func palette() throws {
        var parts = Workshop.OddParts()
        parts.frame = Self.palette + " f->planes[1] = (uint8_t *)colours;"
        let (source, decoder) = try open(parts)
        defer { source.close() }
        let frame = try #require(try frames(source, decoder).first)
        let raw = try #require(bench.registry.rawFilters)
        let converter = raw.makeVideoConverter(pixelFormats: ["rgb24"])
        var row: [UInt8] = []
        try converter.convert(frame).withPictureRows(0) { if row.isEmpty { row = Array($0) } }
        let expected: [UInt8] = (0..<64).flatMap { (i: UInt8) -> [UInt8] in [i, i * 2, i * 3] }
        #expect(row == expected)
    }

    @Test("a picture with a palette and without one is refused")
    func noPalette() throws {
        var parts = Workshop.OddParts()
        parts.frame = Self.palette
        let (source, decoder) = try open(parts)
        defer { source.close() }
        let error = #expect(throws: MediaError.self) { try frames(source, decoder) }
        #expect(error?.message.contains("1 of 2 planes") == true, "\(error?.message ?? "")")
    }

    @Test(
        "frames that are refused are given back once",
        arguments: [
            "f->audio.sample_rate = 0;", "f->audio.channel_count = 0;",
            "f->audio.sample_format = NULL;",
            "f->audio.channel_count = 9; f->audio.sample_format = \"fltp\";", "f->kind = 9;",
            "f->kind = MK_VIDEO; f->pixel_format = \"sausage\";", "",
        ])
    func refusedFrames(_ change: String) throws {
        let count = folder.file("released")
        var parts = Workshop.OddParts()
        parts.frame = """
            f->kind = MK_AUDIO;
            f->audio = (mk_audio_format){48000, 1, "s16", NULL};
            f->sample_count = 100;
            \(change)
            """
        parts.release = """
            FILE *file = fopen("\(count)", "a");
            if (file) fputc('r', file), fclose(file);
            """
        let (source, decoder) = try open(parts)
        defer { source.close() }
        for _ in 0..<3 {
            while case .needsInput? = try? decoder.receive() {
                try decoder.send(try source.readPacket())
            }
        }
        #expect(try readFile(count).count == 3)
    }

    // MARK: - Filters

    /// Runs ten blocks of a rising number through a filter.
    private func filtered(
        process: String, latency: String? = nil, flushAfter: Int? = nil
    ) throws -> [(pts: Int64?, samples: [Float])] {
        let path = try Workshop.badFilter("bad", in: folder, process: process, latency: latency)
        if bench.loader.loaded.isEmpty { try bench.loader.load(path) }
        let filter = try bench.registry.makeFilter(FilterSpec(.named("bad", [:])))
        let format = AudioFormat(sampleRate: 48_000, layout: .stereo)
        _ = try filter.configure(format, accepting: AudioFormatSet())
        var blocks: [(pts: Int64?, samples: [Float])] = []
        let take = { (frame: Frame) throws(MediaError) in
            blocks.append(
                (
                    frame.pts,
                    frame.withFloatPlanes { planes in
                        Array(UnsafeBufferPointer(start: planes[0], count: frame.sampleCount))
                    }
                ))
        }
        for turn in 0..<10 {
            let frame = Frame.makeAudio(format, sampleCount: 100, pts: Int64(turn * 100))
            frame.withFloatPlanes { planes in
                for i in 0..<100 {
                    planes[0][i] = Float(turn * 100 + i)
                    planes[1][i] = -planes[0][i]
                }
            }
            try filter.process(frame, emit: take)
            if turn == flushAfter {
                filter.flush()
                blocks = []
            }
        }
        try filter.process(nil, emit: take)
        return blocks
    }

    private static let delay = """
        static float held[2][64];
        static int count;
        float out[2][200];
        void *planes[2] = {out[0], out[1]};
        int n = input ? input->sample_count : 0, had = count;
        for (int c = 0; c < 2; c++) {
            for (int i = 0; i < had; i++) out[c][i] = held[c][i];
            for (int i = 0; i < n; i++) out[c][had + i] = ((float *)input->planes[c])[i];
            for (int i = 0; input && i < 64; i++) held[c][i] = out[c][had + n - 64 + i];
        }
        mk_audio block = {sizeof block, input ? had + n - 64 : had, MK_NO_TIME, planes, 2};
        count = input ? 64 : 0;
        return emit(sink, &block);
        """

    @Test("sound for which a filter tells no time comes right behind what it gave before")
    func unknownTimes() throws {
        let blocks = try filtered(process: Self.delay, latency: "64")
        var next: Int64 = 0
        for block in blocks {
            #expect(block.pts == next)
            #expect(block.samples.first == Float(next))
            next += Int64(block.samples.count)
        }
        #expect(next == 1000)
    }

    @Test("and behind a flush where its input begins")
    func unknownTimesAfterFlush() throws {
        let blocks = try filtered(
            process: "if (!input) return MK_OK;\n mk_audio out = *input;"
                + " out.pts = MK_NO_TIME; return emit(sink, &out);", flushAfter: 3)
        #expect(blocks.map(\.pts) == (4..<10).map { $0 * 100 })
    }

    @Test("such sound is heard")
    func unknownTimesHeard() throws {
        let path = try Workshop.badFilter(
            "bad", in: folder,
            process: "if (!input) return MK_OK;\n mk_audio out = *input; out.pts = MK_NO_TIME;"
                + " return emit(sink, &out);")
        let result = try runMediakit(
            [
                "play", "--plugin", path, "--filter", "bad", "--sink", "wav", "--output", "x.wav",
                "synth:sine=duration=1",
            ], folder: folder.path)
        #expect(result.status == 0, "\(result)")
        #expect(try folder.read("x.wav").count > 80_000)
    }

    @Test(
        "output that can't be is refused",
        arguments: [
            ("out.sample_count *= 2;", "more than the input it passes on has"),
            (
                "for (int i = 0; i < 2; i++) planes[i] = (float *)planes[i] + 1;",
                "more than the input"
            ),
            ("out.struct_size = 0;", "struct_size 0"), ("out.pts = INT64_MAX - 3;", "for sample"),
            ("return 7;", "gives 7, which is no result"),
            ("return MK_CANCELLED;", "filter bad: the plugin says that it was cancelled"),
        ])
    func refusedOutput(_ change: String, _ expected: String) throws {
        let error = #expect(throws: MediaError.self) {
            try filtered(
                process: """
                    if (!input) return MK_OK;
                    void *planes[2] = {input->planes[0], input->planes[1]};
                    mk_audio out = *input;
                    out.planes = planes;
                    \(change)
                    return emit(sink, &out);
                    """)
        }
        #expect(error?.code == .filterFailed)
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
    }

    @Test("the input's channels in another order are another sound")
    func swapped() throws {
        let blocks = try filtered(
            process: """
                if (!input) return MK_OK;
                void *planes[2] = {input->planes[0], input->planes[0]};
                planes[0] = input->planes[1];
                mk_audio out = *input;
                out.planes = planes;
                return emit(sink, &out);
                """)
        #expect(blocks.first?.samples[5] == -5)
    }

    @Test(
        "MK_CANCELLED where nobody cancelled is an error that names the plugin",
        arguments: ["open", "packet", "create"])
    func cancelled(_ place: String) throws {
        var parts = Workshop.OddParts()
        switch place {
        case "open": parts.open = "if (h) return MK_CANCELLED;"
        case "packet": parts.packet = "return MK_CANCELLED;"
        default: parts.create = "if (h) return MK_CANCELLED;"
        }
        let path = try Workshop.oddMedium("odd", in: folder, parts)
        try folder.write("x.odd", Array("ODD1".utf8))
        let result = try runMediakit(
            ["play", "--plugin", path, "--sink", "null", "x.odd"], folder: folder.path)
        #expect(result.status != 0 && result.status != 130, "\(result)")
        #expect(result.errorText.contains("plugin odd"), "\(result)")
        #expect(result.errorText.contains("nobody did that"), "\(result)")
    }

    @Test("values have the kinds of their options")
    func kinds() throws {
        let path = try Workshop.plugin(
            "kinds", in: folder,
            parts: """
                #include <stdio.h>
                static const char *const words[] = {"a", "b", NULL};
                """
                    + Workshop.idleFilter(
                        "kinds",
                        options: ".kind = MK_CHOICE, .name = \"word\", .choices = words, "
                            + ".default_text = \"b\""
                    ).replacing(
                        "(void)h, (void)v, (void)c;",
                        with: """
                            char told[99];
                            snprintf(told, sizeof told, "%zu %s %d %s", c, v->name, v->kind, v->text);
                            h->set_error(told);
                            if (c) return MK_FAILED;
                            """), members: Workshop.filterMembers)
        try bench.loader.load(path)
        let error = #expect(throws: MediaError.self) {
            try bench.registry.makeFilter(FilterSpec(.named("kinds", [:])))
        }
        #expect(error?.message == "filter kinds: 1 word 3 b")
    }
}
