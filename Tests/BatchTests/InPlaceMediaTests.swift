// Replacing media: nothing of the original is lost, and the container stays.

import Batch
import MediaCore
import MediaModel
import Pipeline
import TestSupport
import Testing

@Suite("Issue 2, in place: an original is not replaced by less")
struct InPlaceMediaTests {
    /// A file and what FFmpeg's program makes it of.
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var arguments: [String]
        /// The container that is asked for; nil for the file's own.
        var container: String?
        /// What a refusal names; nil where nothing is lost.
        var lost: String?
        var testDescription: String { "\(name), \(lost ?? "nothing lost")" }
    }

    private static let sound = ["-f", "lavfi", "-i", "sine=d=1:frequency=500"]
    private static let picture = ["-f", "lavfi", "-i", "testsrc=d=1:s=64x48:r=10"]
    /// A single one: a limit of frames would end the sound with it in newer versions of ffmpeg.
    private static let cover = ["-f", "lavfi", "-i", "testsrc=d=0.1:s=64x48:r=10"]
    private static let chapters = """
        ;FFMETADATA1
        [CHAPTER]
        TIMEBASE=1/1000
        START=0
        END=400
        title=One
        [CHAPTER]
        TIMEBASE=1/1000
        START=400
        END=1000
        title=Two

        """

    static let cases = [
        Case(
            name: "x.mka", arguments: sound + ["-i", "chapters.txt", "-map", "0", "-c:a", "flac"]),
        Case(
            name: "x.m4a", arguments: sound + ["-i", "chapters.txt", "-map", "0", "-c:a", "aac"]),
        Case(
            name: "x.flac",
            arguments: sound + cover + [
                "-map", "0", "-map", "1", "-c:v", "png", "-disposition:v",
                "attached_pic",
            ]),
        Case(
            name: "x.opus",
            arguments: sound + ["-c:a", "libopus", "-metadata", "METADATA_BLOCK_PICTURE=cover"]),
        Case(
            name: "x.m4a",
            arguments: sound + cover + [
                "-map", "0", "-map", "1", "-c:v", "png", "-disposition:v",
                "attached_pic", "-c:a", "aac",
            ], container: "adts", lost: "its cover picture"),
        Case(
            name: "x.mkv", arguments: picture + sound + ["-c:v", "mpeg4", "-c:a", "flac"],
            container: "flac", lost: "its video stream 0 (mpeg4)"),
        Case(
            name: "x.ogg", arguments: sound + picture + ["-c:a", "libvorbis", "-c:v", "libtheora"]),
        Case(
            name: "x.mov",
            arguments: picture + sound + [
                "-c:v", "mpeg4", "-c:a", "pcm_s16le", "-timecode", "01:00:00:00",
            ]),
        Case(
            name: "x.avi",
            arguments: picture + sound + ["-c:v", "mpeg4", "-c:a", "pcm_s16le"]),
    ]

    private func request(
        _ path: String, _ chain: String, _ registry: PluginRegistry
    ) throws -> BatchRequest {
        var request = BatchRequest(
            inputs: [path], chain: try FilterChain(parsing: chain, registry: registry),
            output: nil)
        request.isInPlace = true
        return request
    }

    private func make(_ row: Case, in folder: TemporaryFolder) throws -> String {
        try folder.write("chapters.txt", Self.chapters.utf8)
        let path = folder.file(row.name)
        var arguments = row.arguments.map { $0 == "chapters.txt" ? folder.file($0) : $0 }
        if let place = arguments.firstIndex(where: { $0.hasSuffix("=cover") }) {
            let block = try coverBlock(in: folder)
            arguments[place] = "METADATA_BLOCK_PICTURE=\(block)"
        }
        let made = try TestSupport.run("ffmpeg", ["-v", "error", "-y"] + arguments + [path])
        #expect(made.status == 0, "\(made)")
        return path
    }

    /// A picture as Ogg comments hold it.
    private func coverBlock(in folder: TemporaryFolder) throws -> String {
        let made = try TestSupport.run(
            "ffmpeg",
            ["-v", "error", "-y"] + Self.picture + ["-frames:v", "1", folder.file("c.png")])
        #expect(made.status == 0, "\(made)")
        let image = try folder.read("c.png")
        func number(_ value: Int) -> [UInt8] {
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
        }
        let type = Array("image/png".utf8)
        let head = number(3) + number(type.count) + type + number(0)
        let sizes = [64, 48, 24, 0, image.count].flatMap(number)
        return base64(head + sizes + image)
    }

    private func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for place in 0..<4 {
                text.append(place <= part.count ? letters[bits >> (18 - 6 * place) & 63] : "=")
            }
        }
        return text
    }

    private func streams(_ path: String) throws -> [String] {
        let result = try TestSupport.run(
            "ffprobe",
            ["-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", path])
        return result.text.split(separator: "\n").map(String.init)
    }

    private func chapterCount(_ path: String) throws -> Int {
        let result = try TestSupport.run(
            "ffprobe", ["-v", "error", "-show_entries", "chapter=id", "-of", "csv=p=0", path])
        return result.text.split(separator: "\n").count
    }

    @Test(
        "streams, covers and chapters are all there afterwards, or the file is left as it is",
        arguments: cases, ["volume=-3dB", "toTarget"])
    func nothingLost(_ row: Case, _ chain: String) throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        let path = try make(row, in: folder)
        let before = try readFile(path)
        let parts = (streams: try streams(path), chapters: try chapterCount(path))
        var request = try request(path, chain, registry)
        request.settings.container = row.container
        let result = try #require(try BatchRunner(request, registry: registry).run().results.first)
        guard let lost = row.lost else {
            #expect(result.status == .done, "\(String(describing: result.error))")
            #expect(try streams(path) == parts.streams)
            #expect(try chapterCount(path) == parts.chapters)
            #expect(try readFile(path) != before)
            return
        }
        #expect(result.status == .failed)
        #expect(result.error?.message.contains(lost) == true, "\(String(describing: result.error))")
        #expect(result.error?.message.contains("--force") == true)
        #expect(try readFile(path) == before)
        request.repeatsFinished = true
        #expect(try BatchRunner(request, registry: registry).run().count(.done) == 1)
    }

    @Test("a container that has no chapters does not replace one that has")
    func chaptersLost() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        let path = try make(Self.cases[1], in: folder)
        let before = try readFile(path)
        var request = try request(path, "volume=-3dB", registry)
        request.settings.container = "adts"
        let result = try #require(try BatchRunner(request, registry: registry).run().results.first)
        #expect(result.error?.message.contains("its chapters") == true, "\(result)")
        #expect(try readFile(path) == before)
    }

    @Test(
        "sound is not replaced by what a lossy codec leaves of it",
        arguments: ["volume=-3dB", "toTarget"], ["x.ts", "x.mka"])
    func otherCodec(_ chain: String, _ name: String) throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        let sound = ["-f", "lavfi", "-i", "sine=d=1:r=48000", "-ac", "2", "-strict", "-2"]
        let isStream = name == "x.ts"
        let path = try make(
            Case(name: name, arguments: sound + ["-c:a", isStream ? "s302m" : "dca"]), in: folder)
        let before = try readFile(path)
        var request = try request(path, chain, registry)
        let runs = { try BatchRunner(request, registry: registry).run().results.first }
        let result = try #require(try runs())
        #expect(result.status == .failed)
        let lost = isStream ? "(s302m) would become mp2" : "(dts) would become vorbis"
        #expect(result.error?.message.contains(lost) == true, "\(String(describing: result.error))")
        #expect(result.error?.message.contains("--audio-encoder") == true)
        #expect(try readFile(path) == before)
        let elsewhere = try OutputTemplate(parsing: "\(folder.path)/out/{name}")
        request.isInPlace = false
        request.output = elsewhere
        let copy = try #require(try runs())
        #expect(copy.status == .done)
        let told = copy.details.warnings.filter { $0.contains("which loses sound") }
        #expect(told.count == 1, "\(copy.details.warnings)")
        request.output = nil
        request.isInPlace = true
        request.settings.audioEncoder = isStream ? "ac3" : "flac"
        #expect(try runs()?.status == .done)
        #expect(try streams(path).contains(isStream ? "ac3" : "flac"))
    }

    @Test("damage is not made good by leaving it out", arguments: ["volume=-3dB", "toTarget"])
    func damaged(_ chain: String) throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        let bad = folder.file("bad.flac")
        try MediaFixture.write(Signal.noise(level: -20, seconds: 3), bad)
        var bytes = try readFile(bad)
        for place in bytes.count / 2..<bytes.count / 2 + 600 { bytes[place] = 0x55 }
        try folder.write("bad.flac", bytes)
        let cut = folder.file("cut.mp3")
        try MediaFixture.write(Signal.noise(level: -20, seconds: 8), cut)
        try folder.write("cut.mp3", try readFile(cut).prefix(bytes.count / 8))
        for path in [bad, cut] {
            let before = try readFile(path)
            var request = try request(path, chain, registry)
            let result = try #require(
                try BatchRunner(request, registry: registry).run().results.first)
            #expect(result.status == .failed, "\(path)")
            #expect(
                result.error?.message.contains("is damaged") == true,
                "\(String(describing: result.error))")
            #expect(try readFile(path) == before)
            request.repeatsFinished = true
            #expect(try BatchRunner(request, registry: registry).run().count(.done) == 1)
        }
    }

    @Test("the container is that of the contents, whatever the name says")
    func ownContainer() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        let kinds = [
            ("wav", "wav", "pcm_s16le"), ("m4a", "mov,mp4,m4a,3gp,3g2,mj2", "aac"),
            ("mka", "matroska,webm", "flac"), ("opus", "ogg", "opus"), ("flac", "flac", "flac"),
        ]
        for (kind, container, codec) in kinds {
            let made = folder.file("made.\(kind)")
            try MediaFixture.write(
                Signal.noise(level: -20, seconds: 1), made,
                kind == "mka" ? ["-c:a", "flac"] : [])
            for name in ["x.mp3", "noending", "own.\(kind)"] {
                let path = try folder.write("\(kind)-\(name)", try readFile(made))
                let request = try request(path, "volume=-3dB", registry)
                let result = try #require(
                    try BatchRunner(request, registry: registry).run().results.first)
                #expect(
                    result.status == .done, "\(kind) \(String(describing: result.error))")
                let format = try TestSupport.run(
                    "ffprobe",
                    ["-v", "error", "-show_entries", "format=format_name", "-of", "csv=p=0", path])
                #expect(format.text.contains(container), "\(kind) \(name): \(format.text)")
                #expect(try MediaFixture.fact("codec_name", of: path) == codec)
            }
        }
        let path = folder.file("x.aac")
        try MediaFixture.write(Signal.noise(level: -20, seconds: 1), path)
        try SystemFileSystem().rename(path, to: folder.file("x.wav"))
        let before = try folder.read("x.wav")
        let result = try #require(
            try BatchRunner(
                try request(folder.file("x.wav"), "volume=-3dB", registry), registry: registry
            ).run().results.first)
        #expect(result.error?.code == .containerUnsupported)
        #expect(try folder.read("x.wav") == before)
    }
}
