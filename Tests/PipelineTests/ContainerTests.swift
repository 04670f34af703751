// What each container is given: codecs it holds, covers, tags, tracks.

import MediaCore
import MediaModel
import Pipeline
import TestSupport
import Testing

@Suite("What containers hold")
struct ContainerTests {
    /// What ffprobe says of one field of each stream.
    private func field(_ name: String, _ path: String) throws -> [String] {
        let result = try run(
            "ffprobe",
            ["-v", "error", "-show_entries", "stream=\(name)", "-of", "json", path])
        return result.text.split(separator: "\n").filter { $0.contains("\"\(name)\":") }
            .compactMap { $0.split(separator: ":").last }
            .map { $0.filter { !" \",".contains($0) } }
    }

    /// The tags of the whole and of the first stream.
    private func tags(_ path: String) throws -> (whole: String, sound: String) {
        let whole = try run(
            "ffprobe", ["-v", "error", "-show_entries", "format_tags", "-of", "compact", path])
        let sound = try run(
            "ffprobe",
            ["-v", "error", "-select_streams", "a:0", "-show_entries", "stream_tags", path])
        return (whole.text.lowercased(), sound.text.lowercased())
    }

    @Test(
        "sound goes into every container as ffmpeg's default for it",
        arguments: [
            ("in.wav", "ts"), ("in.wav", "tta"), ("in.wav", "mpg"), ("in.wav", "vob"),
            ("in.wav", "flv"), ("in.wav", "wv"), ("in.flac", "mov"),
            ("in.flac", "ts"),
        ])
    func defaults(input: String, ending: String) throws {
        let bench = try Workbench()
        let source = try ffmpeg(
            input, MediaRecipe.noise + ["-sample_fmt", "s16", "-ac", "2", "-ar", "48000"], bench)
        let theirs = try ffmpeg("theirs.\(ending)", ["-i", source], bench)
        let expected = try field("codec_name", theirs)
        let (output, report) = try bench.transcode(source, to: "out.\(ending)")
        #expect(try field("codec_name", output) == expected)
        #expect(report.warnings.isEmpty)
    }

    @Test("what a transport stream can't name is left out with a warning, or encoded")
    func transportStream() throws {
        let bench = try Workbench()
        try bench.folder.write("a.srt", "1\n00:00:00,200 --> 00:00:01,000\nOn the ferry\n".utf8)
        for codec in ["flac", "libvorbis", "pcm_s16le", "ac3"] {
            let source = try ffmpeg(
                "in.mkv",
                MediaRecipe.film + [
                    "-i", "a.srt", "-c:v", "libx264", "-c:a", codec, "-c:s", "srt",
                ],
                bench)
            let (output, report) = try bench.transcode(source, to: "out.ts")
            // The program lists the streams a second time.
            #expect(
                Set(try field("codec_name", output)) == ["h264", codec == "ac3" ? "ac3" : "mp2"])
            #expect(report.dropped == [2])
            #expect(
                report.warnings.contains { $0.contains("subtitle stream 2 (subrip) is left out") })
        }
    }

    /// Digests of the pictures, in no order: not every container gives each of them a time.
    private func pictures(_ path: String) throws -> [Substring] {
        let result = try run(
            "ffmpeg",
            [
                "-v", "error", "-i", path, "-map", "0:v", "-vsync", "passthrough", "-f",
                "framemd5", "-",
            ])
        return result.text.split(separator: "\n").filter { $0.hasPrefix("0,") }
            .compactMap { $0.split(separator: " ").last }.sorted()
    }

    @Test(
        "pictures get their headers where the container has no place for them apart",
        arguments: [
            ("libx264", "mpg"), ("libx264", "vob"), ("libx264", "ts"), ("mpeg4", "ts"),
            ("mpeg4", "mpg"), ("mpeg4", "flv"),
        ])
    func headers(codec: String, ending: String) throws {
        let bench = try Workbench()
        let source = try ffmpeg(
            "in.mp4", MediaRecipe.film + ["-c:v", codec, "-bf", "2", "-c:a", "aac"], bench)
        let (output, report) = try bench.transcode(source, to: "out.\(ending)")
        guard codec == "libx264" || ending == "ts" else {
            #expect(report.dropped == [0])
            #expect(report.warnings.contains { $0.contains("video stream 0 (mpeg4) is left out") })
            return
        }
        #expect(report.warnings.isEmpty)
        let expected = try pictures(source)
        #expect(expected.count == 50)
        #expect(try pictures(output) == expected)
    }

    @Test("AVI gets the frame rate of pictures, not the ticks of their container")
    func frameRates() throws {
        let bench = try Workbench()
        let source = try ffmpeg(
            "in.mp4",
            MediaRecipe.film + [
                "-c:v", "libx264", "-bf", "3", "-c:a", "aac", "-video_track_timescale", "12800",
            ], bench)
        let (output, _) = try bench.transcode(source, to: "out.avi")
        #expect(try field("avg_frame_rate", output) == ["50/1", "0/0"])
        #expect(try pictures(output) == pictures(source))
        // A file whose ticks are finer than its pictures is read to its last one.
        let fine = try ffmpeg("fine.avi", ["-copytb", "1", "-i", source, "-c", "copy"], bench)
        for path in [output, fine] {
            let (sums, report) = try bench.transcode(path, to: "sums.txt") {
                $0.preset = ContainerPreset(
                    container: "framemd5", videoEncoder: "rawvideo", kinds: [.video],
                    copiesUntouched: false)
            }
            let text = String(decoding: try readFile(sums), as: UTF8.self)
            #expect(text.split(separator: "\n").filter { $0.hasPrefix("0,") }.count == 50)
            #expect(report.frames == 50)
        }
    }

    @Test(
        "Vorbis takes every rate and number of channels, and says what it changes",
        arguments: [8_000, 11_025, 22_050, 48_000, 96_000, 192_000, 384_000], [1, 2, 8])
    func vorbis(rate: Int, channels: Int) throws {
        let bench = try Workbench()
        let source = try ffmpeg(
            "in.wav",
            ["-f", "lavfi", "-i", "anoisesrc=d=0.2:r=\(rate)", "-ac", "\(channels)"], bench)
        let (output, report) = try bench.transcode(source, to: "out.ogg")
        let expected = min(rate, 192_000)
        #expect(try field("sample_rate", output) == ["\(expected)"])
        #expect(try field("channels", output) == ["\(channels)"])
        #expect(
            report.warnings
                == (rate == expected
                    ? []
                    : [
                        "audio stream 0 goes from \(rate) Hz to \(expected) Hz: encoder libvorbis "
                            + "does not take it as it is"
                    ]))
        guard rate == 8_000 else { return }
        let error = #expect(throws: MediaError.self) {
            try bench.transcode(source, to: "out.ogg") { $0.settings.audioBitRate = 500_000 }
        }
        #expect(error?.code == .badArgument)
        #expect(error?.message.contains("choose another bit rate") == true)
    }

    @Test("sound that is changed for the encoder's sake is told of, what filters do is not")
    func changedSound() throws {
        let bench = try Workbench()
        let source = try ffmpeg(
            "in.wav", MediaRecipe.noise + ["-ac", "6", "-ar", "96000"], bench)
        func warnings(_ chain: String, _ rate: Int? = nil) throws -> [String] {
            try bench.transcode(source, to: "out.mp3", chain: chain) {
                $0.settings.sampleRate = rate
            }.report.warnings
        }
        let end = "encoder libmp3lame does not take it as it is"
        for chain in ["", "volume=-3dB", "alimiter"] {
            #expect(
                try warnings(chain)
                    == ["audio stream 0 goes from 96000 Hz 5.1 to 48000 Hz stereo: \(end)"])
        }
        #expect(try warnings("", 44_100) == ["audio stream 0 goes from 5.1 to stereo: \(end)"])
        let mono = "aresample=32000,pan=mono|c0=FL"
        #expect(try warnings(mono).isEmpty)
        let (_, opus) = try bench.transcode(source, to: "out.opus", chain: "aresample=44100")
        #expect(opus.warnings.isEmpty)
        #expect(
            try warnings("pan=mono|c0=FL")
                == ["audio stream 0 goes from 96000 Hz to 48000 Hz: \(end)"])
    }

    @Test(
        "containers for one sound keep the best or the chosen",
        arguments: ["wav", "flac", "mp3", "aac", "flv"])
    func oneSound(ending: String) throws {
        let bench = try Workbench()
        let source = try ffmpeg(
            "in.mka",
            MediaRecipe.sound + MediaRecipe.noise
                + ["-map", "0", "-map", "1", "-c:a", "flac", "-disposition:a:1", "default"], bench)
        let (output, report) = try bench.transcode(source, to: "out.\(ending)")
        #expect(try field("codec_type", output) == ["audio"])
        #expect(report.dropped == [0])
        #expect(report.warnings.contains { $0.contains("audio stream 0 (flac) is left out") })
        let (_, other) = try bench.transcode(source, to: "other.\(ending)") {
            $0.audio = .stream(0)
        }
        #expect(other.dropped == [1])
        let (both, _) = try bench.transcode(source, to: "both.mka")
        #expect(try field("codec_type", both).count == 2)
    }

    /// A song with a cover and tags.
    private func song(_ name: String, _ bench: Workbench, _ more: [String] = []) throws -> String {
        _ = try ffmpeg(
            "cover.png", ["-f", "lavfi", "-i", "color=red:size=32x24", "-frames:v", "1"], bench)
        return try ffmpeg(
            name,
            MediaRecipe.noise + [
                "-i", "cover.png", "-map", "0", "-map", "1", "-c:v", "copy",
                "-disposition:v", "attached_pic", "-metadata", "title=Ferry", "-metadata",
                "artist=Somebody",
            ] + more, bench)
    }

    @Test(
        "covers and tags go into Ogg and back",
        arguments: [("in.flac", "out.ogg"), ("in.mp3", "out.opus"), ("in.flac", "out.oga")])
    func oggCovers(input: String, output: String) throws {
        let bench = try Workbench()
        let source = try song(input, bench)
        let (ogg, report) = try bench.transcode(source, to: output)
        #expect(report.warnings.isEmpty)
        #expect(try field("codec_name", ogg).contains("png"))
        #expect(try tags(ogg).sound.contains("title=ferry"))
        for back in ["back.flac", "back.mp3", "back.m4a"] {
            let (path, second) = try bench.transcode(ogg, to: back)
            #expect(second.warnings.isEmpty)
            #expect(try tags(path).whole.contains("title=ferry"), "\(back)")
            #expect(try tags(path).whole.contains("artist=somebody"), "\(back)")
            let cover = try run(
                "ffmpeg",
                ["-v", "error", "-i", path, "-map", "0:v", "-c", "copy", "-f", "image2pipe", "-"])
            #expect(cover.output == (try readFile(bench.folder.file("cover.png"))), "\(back)")
        }
    }

    @Test("a cover that is left out is told of", arguments: ["wav", "webm", "avi", "mov"])
    func lostCovers(ending: String) throws {
        let bench = try Workbench()
        let (_, report) = try bench.transcode(try song("in.flac", bench), to: "out.\(ending)")
        #expect(report.warnings.contains { $0.contains("cover picture 1 (png) is left out") })
    }

    @Test("the text of chapters is not kept a second time, nor a time code told of")
    func chapterTracks() throws {
        let bench = try Workbench()
        try bench.folder.write(
            "facts.txt",
            ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=A\n".utf8)
        let source = try ffmpeg(
            "in.mov",
            MediaRecipe.film + [
                "-i", "facts.txt", "-map_chapters", "2", "-c:v", "libx264", "-c:a", "aac",
                "-timecode", "01:00:00:00",
            ], bench)
        let before = try field("codec_type", source).sorted()
        #expect(before == ["audio", "data", "data", "video"])
        let (once, report) = try bench.transcode(source, to: "once.mov", chain: "volume=-1dB")
        let (twice, _) = try bench.transcode(once, to: "twice.mov", chain: "volume=-1dB")
        #expect(report.warnings.isEmpty)
        #expect(try field("codec_type", twice).sorted() == before)
        let (matroska, other) = try bench.transcode(source, to: "out.mkv")
        #expect(try field("codec_type", matroska).sorted() == ["audio", "video"])
        #expect(other.warnings.count == 1)
    }

    @Test(
        "deep samples stay deep in AIFF and AU",
        arguments: [("pcm_s24le", 0), ("pcm_f32le", 0), ("pcm_s16le", 0), ("pcm_s24le", 1)])
    func deepSamples(codec: String, filters: Int) throws {
        let bench = try Workbench()
        let source = try ffmpeg("in.wav", MediaRecipe.noise + ["-c:a", codec], bench)
        for ending in ["aiff", "au"] {
            let (output, _) = try bench.transcode(
                source, to: "out.\(ending)", chain: filters > 0 ? "volume=0dB" : "")
            let kept = try field("codec_name", output).first ?? ""
            // AIFF has a little-endian form too.
            #expect(kept == "pcm_s24be" || codec == "pcm_s16le" && kept.hasPrefix("pcm_s16"))
        }
    }

    @Test("what was true of the input's loudness and packets only is dropped")
    func staleFacts() throws {
        let bench = try Workbench()
        let source = try ffmpeg(
            "in.mkv",
            MediaRecipe.film + [
                "-c:v", "libx264", "-c:a", "flac", "-metadata", "REPLAYGAIN_TRACK_GAIN=-7.00 dB",
                "-metadata:s:a", "R128_TRACK_GAIN=-500", "-metadata:s:a", "BPS=1234",
                "-metadata:s:a",
                "NUMBER_OF_BYTES-eng=99", "-metadata:s:a", "_STATISTICS_TAGS=BPS", "-metadata:s:a",
                "title=Deck", "-metadata:s:v", "BPS=4321",
            ], bench)
        let stale = ["replaygain", "r128", "bps=1234", "number_of_bytes", "_statistics"]
        let (louder, _) = try bench.transcode(source, to: "out.mkv", chain: "volume=-3dB")
        let found = try tags(louder)
        for name in stale { #expect(!(found.whole + found.sound).contains(name), "\(name)") }
        #expect(found.sound.contains("title=deck"))
        let (copy, _) = try bench.transcode(source, to: "copy.mkv")
        let kept = try tags(copy)
        for name in stale { #expect((kept.whole + kept.sound).contains(name), "\(name)") }
        let song = try ffmpeg(
            "in.mp3", MediaRecipe.sound + ["-metadata", "REPLAYGAIN_TRACK_GAIN=-7.00 dB"], bench)
        let (softer, _) = try bench.transcode(song, to: "out.mp3", chain: "volume=-3dB")
        #expect(!(try tags(softer).whole.contains("replaygain")))
        let data = try run("ffprobe", ["-v", "error", "-show_streams", softer])
        #expect(!data.text.contains("track_gain"))
    }

    @Test("a part behind the end is refused", arguments: [["-an"], ["-vn"], []])
    func behindTheEnd(without: [String]) throws {
        let bench = try Workbench()
        let source = try ffmpeg(
            "in.mp4", MediaRecipe.film + ["-c:v", "libx264", "-c:a", "aac"] + without, bench)
        let error = #expect(throws: MediaError.self) {
            try bench.transcode(source, to: "out.mkv") { $0.start = MediaTime(seconds: 100) }
        }
        #expect(error?.code == .badArgument)
        #expect(error?.message.contains("in the part that was asked for") == true)
    }
}
