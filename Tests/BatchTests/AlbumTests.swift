// One gain for a group of files.

import Batch
import Loudness
import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("Issue 2, section 3: album mode")
struct AlbumTests {
    private func makeAlbum(_ folder: TemporaryFolder) throws -> [String] {
        try [0.0, -8, -14].enumerated().map { index, gain in
            let path = folder.file("\(index).flac")
            try MediaFixture.write(Signal.music(seconds: 4).amplified(gain), path)
            return path
        }
    }

    private func judged(_ paths: [String], in folder: TemporaryFolder) throws -> LoudnessJudgement {
        let list = paths.flatMap { ["-i", $0] }
        let result = try TestSupport.run(
            "ffmpeg",
            ["-v", "error", "-y"] + list + [
                "-filter_complex", "concat=n=\(paths.count):v=0:a=1", folder.file("all.wav"),
            ])
        #expect(result.status == 0, "\(result)")
        return try LoudnessJudgement(file: folder.file("all.wav"))
    }

    @Test("the group is on target, and each file keeps its place", arguments: [-20.0, -11])
    func group(target: Double) throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        let inputs = try makeAlbum(folder)
        var request = try MediaFixture.request(
            inputs, to: target, output: folder.file("out/{stem}.flac"), registry: registry)
        request.isAlbum = true
        request.jobs = 2
        let summary = try BatchRunner(request, registry: registry).run()
        #expect(summary.exitStatus == 0)
        #expect(Set(summary.results.map(\.details.gain)).count == 1)
        let outputs = (0..<3).map { folder.file("out/\($0).flac") }
        let all = try judged(outputs, in: folder)
        #expect(abs(all.integrated - target) <= 0.15, "\(all)")
        #expect(all.truePeak <= -0.9, "\(all)")
        let quiet = try #require(summary.results[2].details.after)
        let middle = try #require(summary.results[1].details.after)
        #expect(abs(middle.integrated - quiet.integrated - 6) < 0.2)
    }

    @Test("in place and broken off: the run that goes on uses the same gain")
    func resume() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        let inputs = try makeAlbum(folder)
        var request = try MediaFixture.request(
            inputs, to: -20, output: folder.file("out/{stem}.flac"), registry: registry)
        request.isAlbum = true
        let whole = try BatchRunner(request, registry: registry).run()
        #expect(whole.exitStatus == 0)
        request.output = nil
        request.isInPlace = true
        let token = CancellationToken()
        let broken = try BatchRunner(request, registry: registry).run(cancellation: token) {
            event in
            if case .ended = event { token.cancel() }
        }
        #expect(broken.exitStatus == 130)
        let done = broken.count(.done)
        #expect((1...2).contains(done))
        let rest = try BatchRunner(request, registry: registry).run()
        #expect(rest.exitStatus == 0)
        #expect(rest.count(.skipped) == done)
        for index in 0..<3 {
            #expect(try folder.read("\(index).flac") == folder.read("out/\(index).flac"))
        }
    }

    @Test("an album needs a filter that normalises")
    func needsNormalizer() throws {
        let registry = try MediaFixture.makeRegistry()
        var request = BatchRequest(
            inputs: [], chain: FilterChain([FilterSpec(.raw("volume=-3dB"))]),
            output: try OutputTemplate(parsing: "x"))
        request.isAlbum = true
        #expect(throws: MediaError.self) { try BatchRunner(request, registry: registry) }
    }
}
