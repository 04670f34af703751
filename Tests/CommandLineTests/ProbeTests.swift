// `mediakit probe` on real media.

import MediaCore
import TestSupport
import Testing

@Suite("probe, from the command line") struct ProbeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func make(_ name: String, _ arguments: [String]) throws -> String {
        let path = folder.file(name)
        let result = try run(
            "ffmpeg", ["-v", "error", "-y"] + arguments + [path], folder: folder.path)
        #expect(result.status == 0, "\(result)")
        return path
    }

    private func probe(_ path: String) throws -> (text: String, streams: [JSON]) {
        let text = try runMediakit(["probe", path])
        #expect(text.status == 0, "\(text)")
        let json = try JSON(parsing: try runMediakit(["probe", path, "--json"]).output)
        return (text.text, json["streams"]?.elements ?? [])
    }

    @Test("colours, high dynamic range, rotation and starts are told")
    func pictures() throws {
        _ = try make(
            "flat.mp4",
            [
                "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=1", "-f", "lavfi",
                "-i",
                "sine=duration=1", "-vf",
                "setparams=range=tv:color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc",
                "-c:v", "libx264", "-c:a", "aac", "-color_range", "tv",
                "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc",
            ])
        let film = folder.file("film.mp4")
        let copy = [
            "-i", "flat.mp4", "-itsoffset", "0.5", "-i", "flat.mp4", "-map", "0:v", "-map", "1:a",
            "-c", "copy",
        ]
        // Newer versions of ffmpeg take the first, older ones the second.
        let ways = [["-display_rotation", "90"] + copy, copy + ["-metadata:s:v:0", "rotate=90"]]
        let isMade = try ways.contains { way in
            try run("ffmpeg", ["-v", "error", "-y"] + way + [film], folder: folder.path).status == 0
        }
        #expect(isMade)
        let (text, streams) = try probe(film)
        let picture = try #require(streams.first)
        #expect(picture["rotation"]?.number == 270)
        #expect(picture["color_range"]?.text == "tv")
        #expect(picture["color_matrix"]?.text == "bt2020nc")
        #expect(picture["color_primaries"]?.text == "bt2020")
        #expect(picture["color_transfer"]?.text == "smpte2084")
        #expect(picture["hdr"] == .bool(true))
        let start = try #require(streams.last?["start_time"]?.number)
        #expect(abs(start - 0.5) < 0.05)
        for words in ["tv, bt2020nc/bt2020/smpte2084, HDR", "turned by 270°", "from 0:00:00."] {
            #expect(text.contains(words), "\(text)")
        }
        #expect(try probe(folder.file("flat.mp4")).text.contains("turned") == false)
    }

    @Test("tags of streams are shown, and a cover has no rate")
    func tags() throws {
        let song = try make(
            "song.ogg",
            [
                "-f", "lavfi", "-i", "sine=duration=1", "-c:a", "libvorbis", "-metadata",
                "title=Ferry",
            ])
        #expect(try probe(song).text.contains("title: Ferry"))
        _ = try make("cover.png", ["-f", "lavfi", "-i", "color=red:size=32x32", "-frames:v", "1"])
        let covered = try make(
            "song.mp3",
            [
                "-i", "song.ogg", "-i", "cover.png", "-map", "0", "-map", "1", "-c:v", "copy",
                "-disposition:v", "attached_pic",
            ])
        let (text, streams) = try probe(covered)
        #expect(!text.contains("fps"))
        #expect(streams.last?["frame_rate"] == .null)
        #expect(streams.last?["kind"]?.text == "video")
    }
}
