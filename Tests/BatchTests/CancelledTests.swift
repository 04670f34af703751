// When a run that is cancelled at an unusual moment counts as cancelled, and what it says then.

import Batch
import MediaCore
import Synchronization
import TestSupport
import Testing

@Suite("Issue 2, batch: cancelled at an unusual moment")
struct CancelledTests {
    private let files = SystemFileSystem()

    /// Settles a plan for its group, and is cancelled meanwhile.
    private struct AlbumProcessor: BatchProcessor {
        let inner: FakeProcessor
        let token: CancellationToken
        var failure: MediaError?
        var recipe: JSON { inner.recipe }
        var needsSurvey: Bool { true }

        func check(_ item: BatchItem) throws(MediaError) {}
        func survey(_ item: BatchItem, _ context: ProcessorContext) throws(MediaError) {}
        func restore(_ plan: JSON) -> Bool { true }
        func settle(_ items: [BatchItem], _ context: ProcessorContext) throws(MediaError) -> JSON {
            if let failure { throw failure }
            token.cancel()
            try context.cancellation.check()
            return .null
        }
        func process(
            _ item: BatchItem, into file: any OpenFile, at temporary: String,
            _ context: ProcessorContext
        ) throws(MediaError) -> BatchDetails {
            try inner.process(item, into: file, at: temporary, context)
        }
    }

    private func request(_ folder: TemporaryFolder, _ count: Int) throws -> BatchRequest {
        try files.makeFolder(folder.file("in"))
        for index in 0..<count { try folder.write("in/\(index).wav", [UInt8(index)]) }
        var request = BatchRequest(
            inputs: [folder.file("in")],
            output: try OutputTemplate(parsing: folder.file("out/{stem}.bin")))
        request.jobs = 1
        return request
    }

    @Test("while an album's gain is settled: a summary, a report, the end")
    func settling() throws {
        let folder = try TemporaryFolder()
        var request = try request(folder, 3)
        request.report = folder.file("report.json")
        let token = CancellationToken()
        let processor = AlbumProcessor(inner: FakeProcessor(files: files), token: token)
        var isFinished = false
        let summary = try BatchRunner(request, processor: processor, files: files)
            .run(cancellation: token) { if case .finished = $0 { isFinished = true } }
        #expect(summary.exitStatus == 130)
        #expect(summary.count(.cancelled) == 3)
        #expect(isFinished)
        #expect(try files.facts(of: folder.file("report.json")) != nil)
        #expect(processor.inner.processed.isEmpty)
    }

    @Test("what goes wrong in settling is thrown")
    func failing() throws {
        let folder = try TemporaryFolder()
        var processor = AlbumProcessor(
            inner: FakeProcessor(files: files), token: CancellationToken())
        processor.failure = MediaError(.decodeFailed, "bad")
        let runner = BatchRunner(try request(folder, 1), processor: processor, files: files)
        let error = #expect(throws: MediaError.self) { try runner.run() }
        #expect(error?.code == .decodeFailed)
    }

    @Test("behind the last file, nothing is cancelled")
    func late() throws {
        let folder = try TemporaryFolder()
        let request = try request(folder, 2)
        let token = CancellationToken()
        var ended = 0
        let summary = try BatchRunner(
            request, processor: FakeProcessor(files: files), files: files
        ).run(cancellation: token) { event in
            if case .ended = event { ended += 1 }
            if ended == 2 { token.cancel() }
        }
        #expect(summary.count(.done) == 2)
        #expect(!summary.isCancelled)
        #expect(summary.exitStatus == 0)
    }

    @Test("behind the last file that is measured neither; before it, the run is cancelled")
    func measuring() throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        for index in 0..<2 {
            try MediaFixture.write(
                Signal.noise(level: -20, seconds: 0.5), folder.file("\(index).wav"))
        }
        var request = MeasureRequest(inputs: [folder.file("0.wav"), folder.file("1.wav")])
        request.jobs = 1
        let token = CancellationToken()
        var ended = 0
        let summary = MeasureRunner(request, registry: registry).run(cancellation: token) { event in
            if case .ended = event { ended += 1 }
            if ended == 2 { token.cancel() }
        }
        #expect(!summary.isCancelled)
        #expect(summary.exitStatus == 0)
        let none = MeasureRunner(request, registry: registry).run(cancellation: token)
        #expect(none.exitStatus == 130)
    }
}
