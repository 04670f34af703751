// Copying streams from container to container, judged by FFmpeg's own programs.

import Foundation
import MediaCore
import TestSupport
import Testing

@Suite("Streams that nobody touches are copied bit for bit")
struct CopyTests {
    private static let film: [String] = [
        "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=3",
        "-f", "lavfi", "-i", "sine=frequency=300:duration=3:sample_rate=48000",
        "-f", "lavfi", "-i", "anoisesrc=d=3:r=48000:seed=5",
    ]

    private static let subtitles = """
        1
        00:00:00,500 --> 00:00:01,500
        Good evening.

        2
        00:00:02,000 --> 00:00:02,900
        Good night.

        """

    private static let chapters = """
        ;FFMETADATA1
        title=A test
        artist=Nobody
        [CHAPTER]
        TIMEBASE=1/1000
        START=0
        END=1500
        title=First
        [CHAPTER]
        TIMEBASE=1/1000
        START=1500
        END=3000
        title=Second

        """

    private func make(
        _ name: String, _ arguments: [String], in folder: TemporaryFolder
    ) throws -> String {
        let result = try run(
            "ffmpeg", ["-v", "error", "-y"] + arguments + [name], folder: folder.path)
        guard result.status == 0 else { throw MediaError(.internalError, "ffmpeg: \(result)") }
        return folder.file(name)
    }

    private func hashes(_ path: String) throws -> [String] {
        let result = try run(
            "ffmpeg",
            ["-v", "error", "-i", path, "-map", "0", "-c", "copy", "-f", "streamhash", "-"])
        #expect(result.status == 0, "\(result)")
        return result.text.split(separator: "\n").map(String.init)
    }

    /// What ffprobe tells of streams, chapters and tags, without what a muxer must change.
    private func facts(_ path: String) throws -> [String] {
        let result = try run(
            "ffprobe",
            [
                "-v", "error", "-of", "compact", "-show_chapters", "-show_entries",
                "stream=index,codec_name,codec_type,profile,width,height,sample_rate,channels"
                    + ":stream_disposition:stream_tags:stream_side_data:format_tags:chapter_tags",
                path,
            ])
        let volatile = ["tag:encoder=", "tag:DURATION=", "id="]
        return result.text.split(separator: "\n").map { line in
            line.split(separator: "|").filter { field in
                !volatile.contains { field.hasPrefix($0) }
            }.joined(separator: "|")
        }
    }

    private func expectSame(_ path: String, _ copy: String) throws {
        let before = try hashes(path)
        #expect(before.count > 0)
        let after = try hashes(copy)
        #expect(after == before)
        let known = try facts(path)
        let found = try facts(copy)
        #expect(found == known)
    }

    @Test("MP4 with two sounds, chapters, languages and a rotated picture")
    func copiesMP4() throws {
        let folder = try TemporaryFolder()
        try folder.write("facts.txt", Self.chapters.utf8)
        let plain = try make(
            "plain.mp4",
            Self.film + [
                "-i", "facts.txt", "-map", "0", "-map", "1", "-map", "2", "-map_metadata", "3",
                "-c:v", "libx264", "-c:a", "aac", "-metadata:s:a:0", "language=eng",
                "-metadata:s:a:1", "language=deu", "-disposition:a:1", "default",
                "-disposition:a:0", "0",
            ], in: folder)
        _ = plain
        let path = try make(
            "turned.mp4",
            [
                "-i", "plain.mp4", "-map", "0:v", "-map", "0:a", "-c", "copy", "-metadata:s:v:0",
                "rotate=90",
            ],
            in: folder)
        let copy = folder.file("copy.mp4")
        try Passage().copy(path, to: copy)
        try expectSame(path, copy)
    }

    @Test("Matroska with subtitles, an attached font, a cover and chapters")
    func copiesMatroska() throws {
        let folder = try TemporaryFolder()
        try folder.write("facts.txt", Self.chapters.utf8)
        try folder.write("speech.srt", Self.subtitles.utf8)
        try folder.write("letters.ttf", (0..<3000).map { UInt8(truncatingIfNeeded: $0 * 7) })
        _ = try make(
            "cover.png", ["-f", "lavfi", "-i", "color=red:size=32x32", "-frames:v", "1"], in: folder
        )
        let path = try make(
            "film.mkv",
            Self.film + [
                "-i", "speech.srt", "-i", "facts.txt", "-map", "0", "-map", "1", "-map", "2",
                "-map", "3", "-map_metadata", "4", "-map_chapters", "4", "-c:v", "libx264",
                "-c:a:0", "flac", "-c:a:1", "libvorbis", "-c:s", "srt",
                "-metadata:s:s:0", "language=eng", "-disposition:s:0", "forced",
                "-attach", "letters.ttf", "-metadata:s:t:0", "mimetype=application/x-truetype-font",
                "-attach", "cover.png", "-metadata:s:t:1", "mimetype=image/png",
            ], in: folder)
        let copy = folder.file("copy.mkv")
        try Passage().copy(path, to: copy)
        try expectSame(path, copy)
    }

    @Test("sound with a cover", arguments: ["song.flac", "song.mp3", "song.m4a"])
    func copiesCovers(_ name: String) throws {
        let folder = try TemporaryFolder()
        _ = try make(
            "cover.png", ["-f", "lavfi", "-i", "color=red:size=32x32", "-frames:v", "1"], in: folder
        )
        let path = try make(
            name,
            [
                "-f", "lavfi", "-i", "sine=duration=2", "-i", "cover.png", "-map", "0", "-map",
                "1", "-c:v", "copy", "-disposition:v", "attached_pic", "-metadata", "title=Song",
                "-metadata", "artist=Somebody", "-metadata:s:v", "title=Front",
            ], in: folder)
        let copy = folder.file("copy-\(name)")
        try Passage().copy(path, to: copy)
        try expectSame(path, copy)
    }

    @Test("from one container to another")
    func changesContainer() throws {
        let folder = try TemporaryFolder()
        let path = try make(
            "film.mp4", Self.film + ["-map", "0", "-map", "1", "-c:v", "libx264", "-c:a", "aac"],
            in: folder)
        let matroska = folder.file("film.mkv")
        try Passage().copy(path, to: matroska)
        #expect(try hashes(matroska) == (try hashes(path)))
        let back = folder.file("back.mp4")
        try Passage().copy(matroska, to: back)
        #expect(try hashes(back) == (try hashes(path)))
    }
}
