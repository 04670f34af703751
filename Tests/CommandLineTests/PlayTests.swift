// `mediakit play` on real media.

import MediaCore
import TestSupport
import Testing

@Suite("play, from the command line") struct PlayTests {
    private let folder: TemporaryFolder
    private let film: String

    init() throws {
        folder = try TemporaryFolder()
        film = try MediaRecipe(
            name: "film.mp4", arguments: MediaRecipe.film + ["-c:v", "libx264", "-c:a", "aac"]
        ).make(in: folder)
    }

    private func kinds(_ arguments: [String]) throws -> Set<String> {
        let result = try runMediakit(
            ["play", film, "--clock", "free", "--sink", "framemd5"] + arguments)
        #expect(result.status == 0, "\(result)")
        return Set(
            result.text.split(separator: "\n").filter { $0.hasPrefix("#media_type") }
                .compactMap { $0.split(separator: " ").last.map(String.init) })
    }

    @Test("sound only, pictures only (A2.9)") func soundOnly() throws {
        #expect(try kinds([]) == ["video", "audio"])
        #expect(try kinds(["--disable-video"]) == ["audio"])
        #expect(try kinds(["--disable-audio"]) == ["video"])
    }

    @Test("pictures become PNG files, and bare samples go to standard output")
    func otherSinks() throws {
        let frames = try runMediakit([
            "play", film, "--clock", "free", "--duration", "0.2", "--sink", "png", "--output",
            folder.file("frame-%02d.png"),
        ])
        #expect(frames.status == 0, "\(frames)")
        #expect(try folder.names().filter { $0.hasPrefix("frame-") }.count == 5)
        #expect(try folder.read("frame-01.png").prefix(4) == [0x89, 0x50, 0x4E, 0x47])
        let samples = try runMediakit([
            "play", film, "--clock", "free", "--duration", "1", "--sink", "pcm",
        ])
        #expect(samples.output.count == 44100 * 2)
    }
}
