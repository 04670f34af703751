// Whole runs of the transcoder, judged line for line by FFmpeg's own framemd5.

import MediaCore
import MediaModel
import Pipeline
import Plugins
import TestSupport
import Testing

@Suite("Decode to framemd5 equals ffmpeg -f framemd5 (no filter)")
struct FrameDigestTests {
    private static let film = MediaRecipe.film + ["-c:v", "libx264", "-bf", "2"]

    /// Timing that the pipeline must keep: rounded, uneven, late.
    ///
    /// Sound whose frames are no whole milliseconds in Matroska is left out: there FFmpeg's
    /// timestamps overlap (and depend on its number of threads), ours never do.
    private static let timed: [MediaRecipe] = [
        MediaRecipe(name: "ntsc.mp4", arguments: film + ["-r", "30000/1001", "-c:a", "aac"]),
        MediaRecipe(
            name: "uneven.mp4",
            arguments: film + ["-vf", "select='not(mod(n,3))'", "-vsync", "vfr", "-c:a", "aac"]),
        MediaRecipe(
            name: "late.mp4", arguments: film + ["-output_ts_offset", "1.5", "-c:a", "aac"]),
    ]

    @Test(
        "line for line", arguments: MediaRecipe.decoded + timed,
        [Threading.inline, Threading.pipelined])
    func digests(_ recipe: MediaRecipe, _ threading: Threading) throws {
        let folder = try TemporaryFolder()
        let path = try recipe.make(in: folder)
        let reference = try run(
            "ffmpeg", ["-v", "error", "-i", path, "-f", "framemd5", "-"])
        let expected = lines(reference.output)
        #expect(expected.count > 10, "\(reference)")
        let registry = try BuiltinPlugins.makeRegistry()
        let sink = try #require(try registry.sink(named: "framemd5").container)
        let output = folder.file("out.md5")
        var request = TranscodeRequest(url: path, preset: sink, outputPath: output)
        request.threading = threading
        let file = try SystemFileSystem().open(output, .overwrite)
        _ = try Transcoder(request, registry: registry).run(into: file)
        try file.close()
        let found = lines(try readFile(output))
        let difference = zip(found, expected).first { $0 != $1 }.map { "\($0)" } ?? "length"
        let isSame = found == expected
        #expect(isSame, "\(difference)")
    }

    private func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("#software") }
    }
}
