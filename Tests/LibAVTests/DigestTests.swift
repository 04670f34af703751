// Decoding, judged line for line by FFmpeg's own framemd5.

import MediaCore
import TestSupport
import Testing

@Suite("Decoding equals ffmpeg -f framemd5 (quality of sound: no filter)")
struct DigestTests {
    @Test("line for line", arguments: MediaRecipe.decoded)
    func decodes(_ recipe: MediaRecipe) throws {
        let folder = try TemporaryFolder()
        let path = try recipe.make(in: folder)
        let reference = try run(
            "ffmpeg", ["-v", "error", "-i", path, "-map", "0", "-f", "framemd5", "-"])
        let expected = Passage.lines(reference.output)
        let found = try Passage().digest(path, in: folder)
        #expect(expected.count > 10)
        let difference = zip(found, expected).first { $0 != $1 }.map { "\($0)" } ?? "length"
        let isSame = found == expected
        #expect(isSame, "\(difference)")
    }
}
