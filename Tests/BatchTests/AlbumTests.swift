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

    @Test("one more file changes the group: all are done again with the new gain")
    func grown() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        let inputs = try makeAlbum(folder)
        var request = try MediaFixture.request(
            [inputs[0], inputs[2]], to: -20, output: folder.file("out/{stem}.flac"),
            registry: registry)
        request.isAlbum = true
        let small = try BatchRunner(request, registry: registry).run()
        #expect(small.count(.done) == 2)
        #expect(try BatchRunner(request, registry: registry).run().count(.skipped) == 2)
        request.inputs = inputs
        let large = try BatchRunner(request, registry: registry).run()
        #expect(large.count(.done) == 3)
        #expect(Set(large.results.map(\.details.gain)).count == 1)
        #expect(large.results[0].details.gain != small.results[0].details.gain)
        #expect(try BatchRunner(request, registry: registry).plan().count(.skipped) == 3)
        request.inputs = [inputs[0], inputs[2]]
        #expect(try BatchRunner(request, registry: registry).run().count(.done) == 2)
    }

    @Test("a file that failed and is whole now changes the group too")
    func mended() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        let inputs = try makeAlbum(folder)
        let files = SystemFileSystem()
        let whole = try folder.read("1.flac")
        let facts = try #require(try files.facts(of: inputs[1]))
        // Size and time are the same, as after a lost permission.
        try folder.write("1.flac", [UInt8](repeating: 7, count: whole.count))
        try files.setFacts(inputs[1], mode: facts.mode, modified: facts.modified)
        var request = try MediaFixture.request(
            inputs, to: -20, output: folder.file("out/{stem}.flac"), registry: registry)
        request.isAlbum = true
        #expect(try BatchRunner(request, registry: registry).run().count(.done) == 2)
        let again = try BatchRunner(request, registry: registry).run()
        #expect(again.count(.skipped) == 2)
        #expect(again.count(.failed) == 1)
        try folder.write("1.flac", whole)
        try files.setFacts(inputs[1], mode: facts.mode, modified: facts.modified)
        let mended = try BatchRunner(request, registry: registry).run()
        #expect(mended.count(.done) == 3)
        #expect(Set(mended.results.map(\.details.gain)).count == 1)
    }

    @Test("in place, another group is refused and nothing is touched; force does it")
    func grownInPlace() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        let inputs = try makeAlbum(folder)
        var request = try MediaFixture.request(
            [inputs[0], inputs[1]], to: -20, output: "x", registry: registry)
        request.output = nil
        request.isInPlace = true
        request.isAlbum = true
        #expect(try BatchRunner(request, registry: registry).run().count(.done) == 2)
        let before = try (0..<3).map { try folder.read("\($0).flac") }
        request.inputs = inputs
        let error = #expect(throws: MediaError.self) {
            try BatchRunner(request, registry: registry).run()
        }
        #expect(error?.code == .invalidState)
        #expect(error?.message.contains("--force") == true)
        #expect(try (0..<3).map { try folder.read("\($0).flac") } == before)
        request.inputs = [inputs[0]]
        #expect(try BatchRunner(request, registry: registry).run().count(.skipped) == 1)
        request.inputs = inputs
        request.repeatsFinished = true
        let forced = try BatchRunner(request, registry: registry).run()
        #expect(forced.count(.done) == 3)
        #expect(Set(forced.results.map(\.details.gain)).count == 1)
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
