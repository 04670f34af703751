// Decoding, judged line for line by FFmpeg's own framemd5.

import MediaCore
import TestSupport
import Testing

/// How a file for a test is made by the ffmpeg program.
struct Recipe: Sendable, CustomTestStringConvertible {
    var name: String
    var arguments: [String]
    var testDescription: String { name }

    static let sound = ["-f", "lavfi", "-i", "sine=frequency=440:duration=2:sample_rate=44100"]
    static let noise = ["-f", "lavfi", "-i", "anoisesrc=d=1.7:c=pink:seed=3:r=48000:a=0.4"]
    static let film = [
        "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=2",
        "-f", "lavfi", "-i", "sine=frequency=300:duration=2",
    ]

    static let decoded: [Recipe] = [
        Recipe(name: "mono.flac", arguments: sound),
        Recipe(name: "24bit.flac", arguments: noise + ["-sample_fmt", "s32"]),
        Recipe(name: "stereo.wav", arguments: noise + ["-ac", "2"]),
        Recipe(
            name: "surround.wav",
            arguments: noise + ["-af", "pan=5.1|FL=c0|FR=c0|FC=c0|LFE=c0|BL=c0|BR=c0"]),
        Recipe(name: "float.wav", arguments: noise + ["-c:a", "pcm_f32le"]),
        Recipe(name: "gapless.mp3", arguments: sound + ["-b:a", "128k"]),
        Recipe(
            name: "headless.mp3", arguments: sound + ["-write_xing", "0", "-id3v2_version", "0"]),
        Recipe(name: "edited.m4a", arguments: sound + ["-c:a", "aac"]),
        Recipe(name: "vorbis.ogg", arguments: noise + ["-c:a", "libvorbis"]),
        Recipe(name: "preskip.opus", arguments: noise + ["-c:a", "libopus"]),
        Recipe(name: "film.mp4", arguments: film + ["-c:v", "libx264", "-bf", "2", "-c:a", "aac"]),
    ]

    func make(in folder: TemporaryFolder) throws -> String {
        let path = folder.file(name)
        let result = try run(
            "ffmpeg", ["-v", "error", "-y"] + arguments + ["-bitexact", path])
        guard result.status == 0 else { throw MediaError(.internalError, "ffmpeg: \(result)") }
        return path
    }
}

@Suite("Decoding equals ffmpeg -f framemd5 (quality of sound: no filter)")
struct DigestTests {
    @Test("line for line", arguments: Recipe.decoded)
    func decodes(_ recipe: Recipe) throws {
        let folder = try TemporaryFolder()
        let path = try recipe.make(in: folder)
        let reference = try run(
            "ffmpeg", ["-v", "error", "-i", path, "-map", "0", "-f", "framemd5", "-"])
        let expected = Passage.lines(reference.output)
        let found = try Passage().digest(path, in: folder)
        #expect(expected.count > 10)
        #expect(found == expected)
    }
}
