// What encoded pictures keep of the input's, and options of containers for them.

import MediaCore
import MediaModel
import Pipeline
import TestSupport
import Testing

@Suite("Encoded pictures")
struct PictureTests {
    private func facts(_ path: String, _ names: String) throws -> String {
        try run(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v", "-show_entries", "stream=\(names)", "-of",
                "default=nw=1", path,
            ]
        ).text
    }

    @Test(
        "colours, fields and the shape of pixels pass a video encoder",
        arguments: [
            // Range, primaries, transfer, matrix.
            ["pc", "bt709", "bt709", "bt709"], ["tv", "bt2020", "smpte2084", "bt2020nc"],
            ["tv", "smpte170m", "smpte170m", "smpte170m"],
        ])
    func colours(_ colours: [String]) throws {
        let bench = try Workbench()
        let source = bench.folder.file("in.mkv")
        let made = try run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-f", "lavfi", "-i",
                "testsrc2=size=160x120:rate=25:duration=1,setsar=4/3,setfield=tff", "-c:v",
                "libx264", "-flags", "+ildct+ilme", "-color_range", colours[0], "-color_primaries",
                colours[1], "-color_trc", colours[2], "-colorspace", colours[3],
                "-chroma_sample_location", "topleft", source,
            ])
        #expect(made.status == 0, "\(made)")
        let names =
            "color_range,color_space,color_transfer,color_primaries,chroma_location,"
            + "sample_aspect_ratio"
        let expected = try facts(source, names)
        #expect(expected.contains(colours[3]))
        for (encoder, output) in [
            ("libx264", "out.mp4"), ("libx264", "out.mkv"), ("ffv1", "f.mkv"),
        ] {
            let (path, _) = try bench.transcode(source, to: output) {
                $0.settings.videoEncoder = encoder
            }
            let found = try facts(path, names)
            if encoder == "libx264" {
                #expect(found == expected, "\(output)")
            } else {
                // The container tells it where the codec can't.
                #expect(found.contains("color_space=\(colours[3])"), "\(found)")
                let fields = try facts(path, "field_order")
                #expect(!fields.contains("progressive") && !fields.contains("unknown"))
            }
        }
    }

    @Test("pictures become JPEG in the whole range")
    func jpeg() throws {
        let bench = try Workbench()
        let film = MediaRecipe(
            name: "in.mkv",
            arguments: MediaRecipe.film + ["-c:v", "libx264", "-pix_fmt", "yuv420p"])
        let source = try film.make(in: bench.folder)
        let (path, _) = try bench.transcode(source, to: "out.avi") {
            $0.settings.videoEncoder = "mjpeg"
        }
        #expect(try facts(path, "pix_fmt,color_range").contains("yuvj420p"))
        // A small copy of the first picture.
        func thumbnail(_ path: String) throws -> [UInt8] {
            try run(
                "ffmpeg",
                [
                    "-v", "error", "-i", path, "-frames:v", "1", "-vf", "scale=16:12,format=rgb24",
                    "-f", "rawvideo", "-",
                ]
            ).output
        }
        let pairs = zip(try thumbnail(path), try thumbnail(source)).map { abs(Int($0) - Int($1)) }
        #expect(pairs.count == 16 * 12 * 3)
        #expect(pairs.reduce(0, +) / pairs.count < 6)
    }

    @Test("the light of a mastering display stays with encoded pictures")
    func masteringDisplay() throws {
        let bench = try Workbench()
        let source = bench.folder.file("in.mkv")
        let light =
            "hdr10=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:max-cll=1000,400:"
            + "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)"
        let made = try run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-f", "lavfi", "-i",
                "testsrc2=size=160x120:rate=25:duration=0.4", "-pix_fmt", "yuv420p10le", "-c:v",
                "libx265", "-x265-params", "log-level=none:\(light)", source,
            ])
        #expect(made.status == 0, "\(made)")
        let (path, _) = try bench.transcode(source, to: "out.mkv") {
            $0.settings.videoEncoder = "ffv1"
        }
        let found = try run(
            "ffprobe", ["-v", "error", "-show_entries", "stream_side_data", path]
        ).text
        #expect(found.contains("max_content=1000"), "\(found)")
        #expect(found.contains("red_x=34000/50000") || found.contains("red_x"), "\(found)")
        #expect(try facts(path, "color_transfer").contains("smpte2084"))
    }

    @Test("MP4's index can go to the front", arguments: [Threading.inline, .pipelined])
    func fastStart(threading: Threading) throws {
        let bench = try Workbench()
        let film = MediaRecipe(
            name: "in.mkv", arguments: MediaRecipe.film + ["-c:v", "libx264", "-c:a", "aac"])
        let source = try film.make(in: bench.folder)
        func hashes(_ path: String) throws -> String {
            try run(
                "ffmpeg", ["-v", "error", "-i", path, "-c", "copy", "-f", "streamhash", "-"]
            ).text
        }
        let (plain, _) = try bench.transcode(source, to: "plain.mp4") { $0.threading = threading }
        let (fast, _) = try bench.transcode(source, to: "fast.mp4") {
            $0.threading = threading
            $0.settings.containerOptions = ["movflags": "+faststart"]
        }
        func place(_ atom: String, _ path: String) throws -> Int? {
            let bytes = try readFile(path)
            return bytes.indices.first { bytes[$0...].starts(with: atom.utf8) }
        }
        let (index, media) = (try place("moov", fast), try place("mdat", fast))
        #expect(try #require(index) < (try #require(media)))
        #expect(try hashes(fast) == (try hashes(plain)))
        #expect(try hashes(fast).split(separator: "\n").count == 2)
        let (front, _) = try bench.transcode(source, to: "front.mkv") {
            $0.settings.containerOptions = ["cues_to_front": "1"]
        }
        #expect(try hashes(front) == (try hashes(source)))
    }
}
