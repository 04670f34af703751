// Where the sound of a normalised film lies among its pictures.

import Batch
import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("Issue 2, batch: sound and pictures of a film keep together")
struct InterleavingTests {
    @Test("a film is the same bytes whatever the number of jobs, its sound beside its pictures")
    func longFilm() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        let film = MediaRecipe(
            name: "a.mkv",
            arguments: [
                "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=5:duration=60", "-f", "lavfi", "-i",
                "anoisesrc=d=60:c=pink:seed=3:r=16000:a=0.2", "-c:v", "mpeg4", "-c:a", "flac",
            ])
        let input = try film.make(in: folder)
        _ = try folder.write("b.mkv", try folder.read("a.mkv"))
        var first: [UInt8]?
        for (run, jobs) in [2, 8, 1, 1, 1].enumerated() {
            // One file alone is worked on by several threads.
            let inputs = jobs == 1 ? [input] : [input, folder.file("b.mkv")]
            var request = try MediaFixture.request(
                inputs, to: -20, output: folder.file("out\(run)/{stem}.mkv"), registry: registry)
            request.jobs = jobs
            #expect(try BatchRunner(request, registry: registry).run().exitStatus == 0)
            let bytes = try folder.read("out\(run)/a.mkv")
            let isSame = first.map { $0 == bytes } ?? true
            #expect(isSame, "run \(run)")
            first = first ?? bytes
            let order = try PacketOrder(of: folder.file("out\(run)/a.mkv"))
            #expect(order.packets.count > 400)
            #expect(order.worstLag < 1.5, "run \(run)")
        }
    }
}
