// What outputs keep of their inputs beside streams: covers, facts of a broadcast, sizes, clocks.

import LibAV
import MediaCore
import MediaModel
import Pipeline
import TestSupport
import Testing

@Suite("What outputs keep beside their streams")
struct KeptTests {
    private func facts(_ path: String, _ entries: String) throws -> [String] {
        try run("ffprobe", ["-v", "error", "-show_entries", entries, "-of", "default=nw=1", path])
            .text.split(separator: "\n").map(String.init)
    }

    @Test("AIFF keeps cover and tags")
    func aiff() throws {
        let bench = try Workbench()
        _ = try ffmpeg(
            "cover.png", ["-f", "lavfi", "-i", "color=red:size=32x24", "-frames:v", "1"], bench)
        let source = try ffmpeg(
            "in.flac",
            MediaRecipe.noise + [
                "-i", "cover.png", "-map", "0", "-map", "1", "-c:v", "copy",
                "-disposition:v", "attached_pic", "-metadata", "artist=Somebody", "-metadata",
                "album=Ferry", "-metadata", "track=3",
            ], bench)
        let (path, report) = try bench.transcode(source, to: "out.aiff")
        #expect(report.warnings.isEmpty)
        let kept = try facts(path, "format_tags:stream=codec_name")
        for fact in ["codec_name=png", "TAG:artist=Somebody", "TAG:album=Ferry", "TAG:track=3"] {
            #expect(kept.contains(fact), "\(kept)")
        }
        let (bare, _) = try bench.transcode(path, to: "bare.aiff") {
            $0.settings.containerOptions["write_id3v2"] = "0"
        }
        #expect(try !facts(bare, "format_tags").contains("TAG:album=Ferry"))
    }

    /// A broadcast WAV of a second.
    private func broadcast(_ bench: Workbench) throws -> String {
        try ffmpeg(
            "in.wav",
            [
                "-f", "lavfi", "-i", "sine=d=2:r=48000", "-write_bext", "1", "-metadata",
                "description=Scene 4", "-metadata", "originator=Recorder", "-metadata",
                "originator_reference=R1", "-metadata", "origination_date=2020-02-03",
                "-metadata", "origination_time=10:11:12", "-metadata",
                "time_reference=172800000", "-metadata", "coding_history=A=PCM",
            ], bench)
    }

    @Test("a broadcast WAV keeps its facts, and its clock where time or rate are others")
    func broadcastFacts() throws {
        let bench = try Workbench()
        let source = try broadcast(bench)
        let before = try facts(source, "format_tags").filter { !$0.contains("encoder") }
        #expect(before.contains("TAG:comment=Scene 4"))
        let (path, _) = try bench.transcode(source, to: "out.wav", chain: "volume=-3dB") {
            $0.settings.isBitExact = true
        }
        #expect(try Set(facts(path, "format_tags")) == Set(before))
        let bytes = try readFile(path)
        #expect(bytes.starts(with: "RIFF".utf8))
        let (part, _) = try bench.transcode(source, to: "part.wav") {
            $0.start = MediaTime(seconds: 1)
            $0.settings.sampleRate = 24_000
        }
        #expect(try facts(part, "format_tags").contains("TAG:time_reference=86424000"))
    }

    @Test("a time of day without a date does not become a date", arguments: ["m4a", "mka", "flac"])
    func timeOfDay(ending: String) throws {
        let bench = try Workbench()
        let (path, _) = try bench.transcode(try broadcast(bench), to: "out.\(ending)")
        #expect(
            try !facts(path, "format_tags:stream_tags").contains { $0.contains("creation_time") })
    }

    /// A file that keeps its beginning and the number of its bytes.
    private final class CountingFile: OpenFile {
        private var position = 0
        private var end = 0
        private(set) var head = [UInt8](repeating: 0, count: 256)
        var size: Int64? { Int64(end) }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
        func write(_ buffer: UnsafeRawBufferPointer) {
            if position < head.count {
                for (offset, byte) in buffer.prefix(head.count - position).enumerated() {
                    head[position + offset] = byte
                }
            }
            position += buffer.count
            end = max(end, position)
        }
        func seek(to offset: Int64) { position = Int(offset) }
        func truncate(to size: Int64) { end = Int(size) }
        func claim() -> Bool { true }
        func sync() {}
        func close() {}
    }

    /// Writes bare samples of so many blocks of 64 MiB.
    private func write(
        _ blocks: Int, _ container: String, _ codec: String
    ) throws -> CountingFile {
        var sound = CodecDescription(kind: .audio, codecName: codec)
        (sound.sampleRate, sound.channelCount, sound.sampleFormat) = (48_000, 2, .s16)
        let file = CountingFile()
        let muxer = try LibAVMuxerPlugin().makeMuxer(
            MuxerRequest(container: container, path: "large"), into: file)
        let ticks = TimeBase(1, 48_000)
        let stream = try muxer.addStream(
            MuxerStream(
                parameters: CodecParameters(sound), timeBase: ticks, template: nil))
        try muxer.writeHeader(metadata: [], chapters: [])
        let block = [UInt8](repeating: 0, count: 64 << 20)
        let packet = block.withUnsafeBytes {
            Packet(
                copying: $0, streamIndex: 0, pts: 0, dts: 0, duration: Int64(block.count / 4),
                isKeyframe: true, timeBase: ticks)
        }
        for _ in 0..<blocks { try muxer.write(packet, stream: stream) }
        try muxer.finish()
        return file
    }

    @Test("a WAV beyond 4 GiB says its size; AIFF, which can't, fails")
    func large() throws {
        let wav = try write(65, "wav", "pcm_s16le")
        #expect(String(decoding: wav.head.prefix(4), as: UTF8.self) == "RF64")
        #expect(try write(1, "wav", "pcm_s16le").head.starts(with: "RIFF".utf8))
        let error = #expect(throws: MediaError.self) {
            try write(65, "aiff", "pcm_s16be")
        }
        #expect(error?.code == .outputFailed)
        #expect(error?.message.contains("4 GiB") == true)
    }

    @Test("programs give decoders time to fill their buffers", arguments: ["ts", "mpg"])
    func programClock(ending: String) throws {
        let bench = try Workbench()
        let source = try ffmpeg(
            "in.mkv",
            MediaRecipe.film + ["-c:v", "mpeg2video", "-b:v", "2M", "-bf", "2", "-c:a", "mp2"],
            bench)
        let (path, _) = try bench.transcode(source, to: "out.\(ending)")
        let theirs = try ffmpeg("theirs.\(ending)", ["-i", source, "-c", "copy"], bench)
        let times = { try self.facts($0, "stream=start_time") }
        #expect(try times(path) == times(theirs))
    }

    @Test(
        "a name that says the codec gets it",
        arguments: [
            ("flac", "out.opus", "opus"), ("ogg", "out.opus", "opus"), ("flac", "out.spx", "speex"),
            ("flac", "out.wma", "wmav2"), ("mp3", "out.wma", "wmav2"), ("wav", "out.wma", "wmav2"),
            ("flac", "out.ogg", "flac"), ("opus", "out.oga", "opus"), ("flac", "out.m4a", "aac"),
            ("mp3", "out.mp3", "mp3"), ("flac", "out.ac3", "ac3"), ("mp3", "out.aac", "aac"),
        ])
    func names(input: String, output: String, codec: String) throws {
        let bench = try Workbench()
        let source = try ffmpeg("in.\(input)", MediaRecipe.noise + ["-ac", "2"], bench)
        let (path, _) = try bench.transcode(source, to: output, chain: "volume=-3dB")
        #expect(try facts(path, "stream=codec_name") == ["codec_name=\(codec)"])
        #expect(
            try facts(bench.transcode(source, to: "copy.\(output)").path, "stream=codec_name")
                == ["codec_name=\(codec)"])
    }

    @Test(
        "sound that stays in its codec gets at least its bit rate",
        arguments: ["mp3", "mp2", "ac3"])
    func bitRates(codec: String) throws {
        let bench = try Workbench()
        let made = try ffmpeg(
            "in.\(codec)",
            MediaRecipe.noise + ["-ac", "2", "-b:a", "224k"]
                + (codec == "mp3" ? ["-abr", "1", "-b:a", "205k"] : []), bench)
        let rate = { (path: String) in
            try Int(#require(facts(path, "stream=bit_rate").first?.split(separator: "=").last)) ?? 0
        }
        let before = try rate(made)
        let (path, _) = try bench.transcode(made, to: "out.\(codec)", chain: "volume=-3dB")
        #expect(try rate(path) >= before)
    }

    @Test(
        "chapters that are left out are told of",
        arguments: ["flac", "ogg", "wav", "wv", "caf", "tta", "ts", "mp3", "mka"])
    func lostChapters(ending: String) throws {
        let bench = try Workbench()
        try bench.folder.write(
            "facts.txt",
            ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=A\n".utf8)
        let source = try ffmpeg(
            "in.m4a", MediaRecipe.sound + ["-i", "facts.txt", "-map", "0", "-c:a", "aac"], bench)
        let (path, report) = try bench.transcode(source, to: "out.\(ending)")
        let isKept = try facts(path, "chapter=id").contains { $0.hasPrefix("id=") }
        #expect(isKept == ["mp3", "mka"].contains(ending))
        let told = report.warnings.contains { $0.hasPrefix("1 chapter is left out") }
        #expect(told == !isKept, "\(report.warnings)")
    }

    @Test("a rotation that is lost is told of", arguments: ["mp4", "mkv", "ts", "flv"])
    func lostRotation(ending: String) throws {
        let bench = try Workbench()
        let plain = try ffmpeg("plain.mp4", MediaRecipe.film + ["-c:v", "libx264"], bench)
        // The matrix of the first track, which is unity, becomes a quarter of a turn.
        var bytes = try readFile(plain)
        let name = Array("tkhd".utf8)
        let header = try #require(
            bytes.indices.first { bytes[$0...].starts(with: name) })
        let matrix = header + 44
        let quarter: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0]
        bytes.replaceSubrange(matrix..<matrix + 16, with: quarter)
        bytes.replaceSubrange(matrix + 16..<matrix + 20, with: [0, 0, 0, 0])
        let source = try bench.folder.write("in.mp4", bytes)
        let (path, report) = try bench.transcode(source, to: "out.\(ending)")
        let isKept = try !facts(path, "stream_side_data=rotation").isEmpty
        let told = report.warnings.contains { $0.contains("is no longer turned by") }
        #expect(told == !isKept, "\(report.warnings)")
    }
}
