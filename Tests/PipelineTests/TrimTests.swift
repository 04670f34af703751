// A part of a medium is the same frames as in the whole, whatever the container can seek.

import MediaCore
import MediaModel
import Pipeline
import TestSupport
import Testing

@Suite("Parts of films in every container")
struct TrimTests {
    static let films = [
        film("film.mp4", x264), film("film.mov", x264), film("film.mkv", x264),
        film("film.flv", x264), film("film.ts", x264), film("film.avi", mpeg4),
        film("film.mpg", mpeg2),
    ]

    // No noise substitution, which is other noise each time; open groups of pictures.
    private static let x264 = [
        "-c:v", "libx264", "-g", "15", "-bf", "3", "-x264-params", "open-gop=1:scenecut=0",
        "-c:a", "aac", "-aac_pns", "0",
    ]
    private static let mpeg4 = ["-c:v", "mpeg4", "-g", "15", "-c:a", "pcm_s16le"]
    private static let mpeg2 = [
        "-c:v", "mpeg2video", "-g", "15", "-bf", "2", "-c:a", "mp2", "-b:v", "3M",
    ]

    private static func film(_ name: String, _ codecs: [String]) -> MediaRecipe {
        MediaRecipe(
            name: name,
            arguments: [
                "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=4",
                "-f", "lavfi", "-i", "aevalsrc=0.3*sin(330*t*(1+t)):d=4:s=48000",
            ] + codecs)
    }

    /// The hashes of pictures.
    private func pictures(
        _ bench: Workbench, _ path: String, from start: Double? = nil
    ) throws -> [Substring] {
        let (output, _) = try bench.transcode(path, to: "\(start ?? 0).framemd5") {
            $0.settings.container = "framemd5"
            $0.settings.videoEncoder = "rawvideo"
            $0.start = start.map { MediaTime(seconds: $0) }
        }
        return String(decoding: try readFile(output), as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("0,") }.map { $0.suffix(32) }
    }

    @Test("pictures from any time on", arguments: films)
    func pictures(_ film: MediaRecipe) throws {
        let bench = try Workbench()
        let input = try film.make(in: bench.folder)
        let whole = try pictures(bench, input)
        #expect(whole.count == 100)
        for number in [1, 14, 15, 16, 44, 62, 99] {
            let part = try pictures(bench, input, from: (Double(number) - 0.5) / 25)
            #expect(part == Array(whole.suffix(part.count)), "from picture \(number)")
            #expect(abs(part.count - (100 - number)) <= 1, "\(part.count) from \(number)")
        }
    }

    @Test("sound from any time on", arguments: films)
    func sound(_ film: MediaRecipe) throws {
        let bench = try Workbench()
        let input = try film.make(in: bench.folder)
        let whole = try bench.sound(input)
        for seconds in [0.2, 0.6, 1.3, 2.5, 3.7] {
            let part = try bench.sound(input) { $0.start = MediaTime(seconds: seconds) }
            let start = whole.frames - part.frames
            #expect(abs(Double(start) / 48_000 - seconds) < 0.05, "from \(seconds): \(start)")
            let expected = whole.cut(start..<whole.frames)
            let difference = zip(part.planes, expected.planes).map { part, expected in
                zip(part, expected).reduce(0) { max($0, abs($1.0 - $1.1)) }
            }
            // FFmpeg's MP2 decoder shapes its rounding over all frames before.
            let tolerance: Float = film.name == "film.mpg" ? 2.0 / 32_768 : 0
            #expect(difference.allSatisfy { $0 <= tolerance }, "from \(seconds)")
        }
    }
}
