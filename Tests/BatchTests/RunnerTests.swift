// Whole batches with a processor that needs no media.

import Glibc
import MediaCore
import MediaModel
import Synchronization
import TestSupport
import Testing

@testable import Batch

@Suite("Issue 2, section 5: runner")
struct RunnerTests {
    private let files = SystemFileSystem()

    /// A folder `in` with so many files; every tenth one bad where asked.
    private func makeInputs(_ count: Int, bad: Bool = false) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try files.makeFolder(folder.file("in"))
        for index in 0..<count {
            let isBad = bad && index % 10 == 3
            let bytes = isBad ? Array("BAD".utf8) : Array("\(index) good bytes".utf8)
            try folder.write("in/\(index).wav", bytes)
        }
        return folder
    }

    private func request(_ folder: TemporaryFolder, jobs: Int = 1) throws -> BatchRequest {
        var request = BatchRequest(
            inputs: [folder.file("in")],
            output: try OutputTemplate(parsing: folder.file("out/{stem}.bin")))
        request.jobs = jobs
        return request
    }

    private func run(
        _ request: BatchRequest, processor: FakeProcessor? = nil,
        cancellation: CancellationToken = CancellationToken(),
        onEvent: (BatchEvent) -> Void = { _ in }
    ) throws -> BatchSummary {
        try BatchRunner(
            request, processor: processor ?? FakeProcessor(files: files), files: files
        ).run(cancellation: cancellation, onEvent: onEvent)
    }

    private func outputs(_ folder: TemporaryFolder) throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for name in try files.list(folder.file("out")) where !name.hasSuffix(".jsonl") {
            found[name] = try folder.read("out/\(name)")
        }
        return found
    }

    @Test("1, 2 and 8 jobs give the same outputs, results in order, and one bad file stops nothing")
    func jobs() throws {
        var first: [String: [UInt8]]?
        for jobs in [1, 2, 8] {
            let folder = try makeInputs(40, bad: true)
            let summary = try run(try request(folder, jobs: jobs))
            #expect(summary.count(.done) == 36)
            #expect(summary.count(.failed) == 4)
            #expect(summary.exitStatus == 1)
            #expect(summary.results.map(\.index) == Array(0..<40))
            #expect(
                summary.results.filter { $0.status == .failed }
                    .allSatisfy { $0.error?.code == .decodeFailed })
            let made = try outputs(folder)
            #expect(made["0.bin"] == FakeProcessor.result(of: Array("0 good bytes".utf8)))
            if let first { #expect(made == first) }
            first = made
        }
    }

    @Test("finished files are skipped while input, chain and output are the same")
    func skips() throws {
        let folder = try makeInputs(5)
        var request = try request(folder)
        _ = try run(request)
        let second = FakeProcessor(files: files)
        let summary = try run(request, processor: second)
        #expect(summary.count(.skipped) == 5)
        #expect(summary.exitStatus == 0)
        #expect(summary.results[0].details.encoder == "invert")
        #expect(second.processed.isEmpty)

        try folder.write("in/1.wav", "changed input".utf8)
        try folder.write("out/2.bin", "changed".utf8)
        try files.remove(folder.file("out/3.bin"))
        let third = FakeProcessor(files: files)
        _ = try run(request, processor: third)
        #expect(third.processed.map { PathText.name(of: $0) } == ["1.wav", "2.wav", "3.wav"])

        request.engine = "another version"
        #expect(try run(request).count(.done) == 5)
        request.repeatsFinished = true
        #expect(try run(request).count(.done) == 5)
        request.repeatsFinished = false
        #expect(try run(request).count(.skipped) == 5)
    }

    @Test("outputs of earlier runs beside the inputs are not taken as inputs")
    func ownOutputs() throws {
        let folder = try makeInputs(3)
        var request = try request(folder)
        request.output = try OutputTemplate(parsing: "{dir}/{stem}-x.{ext}")
        #expect(try run(request).count(.done) == 3)
        let again = try run(request)
        #expect(again.results.count == 3)
        #expect(again.count(.skipped) == 3)
        #expect(try files.list(folder.file("in")).count == 7)
    }

    @Test("in place: contents are replaced, mode kept, a second run does nothing")
    func inPlace() throws {
        let folder = try makeInputs(4)
        try files.setFacts(folder.file("in/1.wav"), mode: 0o640, modified: nil)
        var request = try request(folder)
        request.output = nil
        request.isInPlace = true
        #expect(try run(request).count(.done) == 4)
        let expected = FakeProcessor.result(of: Array("1 good bytes".utf8))
        #expect(try folder.read("in/1.wav") == expected)
        #expect(try files.facts(of: folder.file("in/1.wav"))?.mode == 0o640)
        #expect(try run(request).count(.skipped) == 4)
        #expect(try folder.read("in/1.wav") == expected)
    }

    @Test("in place: a file that someone changes meanwhile is left alone")
    func inPlaceChanged() throws {
        let folder = try makeInputs(2)
        var request = try request(folder)
        request.output = nil
        request.isInPlace = true
        let processor = FakeProcessor(files: files) { item in
            if item.index == 0 { _ = try? folder.write("in/0.wav", "by someone else".utf8) }
        }
        let summary = try run(request, processor: processor)
        #expect(summary.results.map(\.status) == [.failed, .done])
        #expect(try folder.read("in/0.wav") == Array("by someone else".utf8))
        #expect(try files.list(folder.file("in")).count == 3)
    }

    @Test("cancelled: running files are given up, nothing half-made is left, the next run finishes")
    func cancel() throws {
        let folder = try makeInputs(30)
        let token = CancellationToken()
        let processor = FakeProcessor(files: files) { item in
            if item.index == 10 { token.cancel() }
            // The other thread must not be through before.
            while item.index > 10, !token.isCancelled { usleep(1000) }
        }
        let summary = try run(
            try request(folder, jobs: 2), processor: processor, cancellation: token)
        #expect(summary.isCancelled)
        #expect(summary.exitStatus == 130)
        #expect(summary.results.count == 30)
        #expect(summary.count(.cancelled) >= 10)
        #expect(try outputs(folder).count == summary.count(.done))
        let rest = try run(try request(folder))
        #expect(rest.count(.skipped) == summary.count(.done))
        #expect(rest.exitStatus == 0)
        #expect(try outputs(folder).count == 30)
    }

    @Test("fail-fast begins nothing new, keep-existing leaves foreign outputs alone")
    func policies() throws {
        let folder = try makeInputs(20, bad: true)
        var request = try request(folder)
        request.stopsAtFailure = true
        let summary = try run(request)
        #expect(summary.count(.failed) == 1)
        #expect(summary.count(.cancelled) > 0)
        #expect(summary.exitStatus == 1)

        let other = try makeInputs(2)
        try files.makeFolder(other.file("out"))
        try other.write("out/0.bin", "mine".utf8)
        var keeping = try self.request(other)
        keeping.keepsExisting = true
        let kept = try run(keeping)
        #expect(kept.results.map(\.error?.code) == [.outputExists, nil])
        #expect(try other.read("out/0.bin") == Array("mine".utf8))
    }

    @Test("events come in order: began, each file's start before its end, finished")
    func events() throws {
        let folder = try makeInputs(6)
        var said: [String] = []
        _ = try run(try request(folder, jobs: 3)) { event in
            switch event {
            case .began(let files, let bytes): said.append("began \(files) \(bytes > 0)")
            case .started(let index, _, _): said.append("start \(index)")
            case .progress: break
            case .ended(let result, _): said.append("end \(result.index)")
            case .finished: said.append("finished")
            }
        }
        #expect(said.first == "began 6 true")
        #expect(said.last == "finished")
        for index in 0..<6 {
            let start = try #require(said.firstIndex(of: "start \(index)"))
            let end = try #require(said.firstIndex(of: "end \(index)"))
            #expect(start < end)
        }
    }

    @Test("a missing input fails alone; a dry run touches nothing")
    func missingAndDry() throws {
        let folder = try makeInputs(2)
        var request = try request(folder)
        request.inputs.append(folder.file("gone.wav"))
        let runner = BatchRunner(
            request, processor: FakeProcessor(files: files), files: files)
        let plan = try runner.plan()
        #expect(plan.results.map(\.status) == [.planned, .planned, .failed])
        #expect(try files.facts(of: folder.file("out")) == nil)
        request.output = try OutputTemplate(parsing: folder.file("out/one.bin"))
        #expect(throws: MediaError.self) { try run(request) }
        #expect(try files.facts(of: folder.file("out")) == nil)
        let summary = try runner.run()
        #expect(summary.results.map(\.status) == [.done, .done, .failed])
        #expect(summary.results[2].error?.code == .notFound)
        #expect(try runner.plan().results.map(\.status) == [.skipped, .skipped, .failed])
    }

    @Test("leftovers that the journal names are removed, other files are not")
    func leftovers() throws {
        let folder = try makeInputs(1)
        try files.makeFolder(folder.file("out"))
        try folder.write("out/.0.bin.mediakit-99-1.tmp", [1])
        try folder.write("out/.1.bin.mediakit-99-2.tmp", [1])
        let begun = JournalLine.begin(temporary: folder.file("out/.0.bin.mediakit-99-1.tmp"))
        try folder.write("out/.mediakit-journal.jsonl", JournalLine.header + begun.bytes)
        _ = try run(try request(folder))
        #expect(
            try files.list(folder.file("out"))
                == [".1.bin.mediakit-99-2.tmp", ".mediakit-journal.jsonl", "0.bin"])
    }

    @Test("names with 255 bytes, quotes, newlines and bytes that are not UTF-8")
    func oddNames() throws {
        let folder = try TemporaryFolder()
        try files.makeFolder(folder.file("in"))
        let names = [
            "a b.wav", "q'\"\\.wav", "new\nline.wav",
            String(osBytes: [0xFF, 0xC0, 0x2E, 0x77, 0x61, 0x76]),
            String(repeating: "é", count: 125) + ".wav", "-dash.wav",
        ]
        for name in names { try folder.write("in/\(name)", name.osBytes) }
        let summary = try run(try request(folder))
        #expect(summary.count(.done) == names.count)
        #expect(try run(try request(folder)).count(.skipped) == names.count)
    }

    @Test("the report has a row a file, as JSON and as CSV")
    func reports() throws {
        let folder = try makeInputs(4, bad: true)
        try folder.write("in/q\".wav", [1])
        var request = try request(folder)
        request.report = folder.file("r/report.json")
        _ = try run(request)
        let json = try JSON(parsing: try folder.read("r/report.json"))
        let rows = try #require(json["files"]?.elements)
        #expect(rows.count == 5)
        #expect(rows[3]["status"] == .string("failed"))
        #expect(rows[3]["error"] == .string("decode-failed"))
        #expect(json["counts"]?["failed"] == .int(1))
        request.report = folder.file("r/report.csv")
        _ = try run(request)
        let text = String(decoding: try folder.read("r/report.csv"), as: UTF8.self)
        let lines = text.split(separator: "\r\n")
        try #require(lines.count == 6)
        #expect(lines[0].hasPrefix("input,output,status,error,message,"))
        #expect(lines[5].contains("q\"\".wav\""))
    }

    @Test("a report says by its name what it holds")
    func reportNames() throws {
        let folder = try makeInputs(2)
        for name in ["r.txt", "report", "r.json.gz"] {
            var request = try request(folder)
            request.report = folder.file(name)
            let error = #expect(throws: MediaError.self) { try run(request) }
            #expect(error?.code == .badArgument)
            #expect(error?.message.contains("must end in .json or .csv") == true)
        }
        #expect(try folder.names() == ["in"])
        var request = try request(folder)
        for report in ["/dev/null", folder.file("R.CSV")] {
            request.report = report
            #expect(try run(request).exitStatus == 0)
        }
        #expect(try folder.read("R.CSV").starts(with: "input,".utf8))
    }

    @Test("with fail_fast, a missing input is the first failure: nothing is begun")
    func missingInputStops() throws {
        let folder = try makeInputs(3)
        _ = try run(try request(folder))
        try folder.write("in/2.wav", "other bytes".utf8)
        var request = try request(folder)
        request.inputs.insert(folder.file("nope.wav"), at: 0)
        request.stopsAtFailure = true
        let processor = FakeProcessor(files: files)
        let summary = try run(request, processor: processor)
        #expect(processor.processed.isEmpty)
        #expect(summary.results.map(\.status) == [.skipped, .skipped, .cancelled, .failed])
        #expect(summary.exitStatus == 1)
        request.stopsAtFailure = false
        #expect(try run(request).results.map(\.status) == [.skipped, .skipped, .done, .failed])
    }

    @Test("a filter that is off is as if it were not there: switching it makes another output")
    func disabledFilters() throws {
        let folder = try makeInputs(1)
        var request = try request(folder)
        func status(_ chain: [FilterSpec]) throws -> [BatchResult.Status] {
            request.chain = FilterChain(chain)
            return try run(request).results.map(\.status)
        }
        let limiter = FilterSpec(.raw("alimiter"))
        var volume = FilterSpec(.raw("volume=-6dB"))
        volume.isEnabled = false
        #expect(try status([volume, limiter]) == [.done])
        #expect(try status([limiter]) == [.skipped])
        volume.isEnabled = true
        #expect(try status([volume, limiter]) == [.done])
        #expect(try status([volume, limiter]) == [.skipped])
        volume.isEnabled = false
        #expect(try status([volume, limiter]) == [.done])
    }

    @Test("a report never overwrites an input or an output")
    func reportElsewhere() throws {
        let folder = try makeInputs(2)
        for name in ["in/0.wav", "in/../in/1.wav", "out/1.bin", "out/./.mediakit-journal.jsonl"] {
            var request = try request(folder)
            request.report = folder.file(name)
            let error = #expect(throws: MediaError.self) { try run(request) }
            #expect(error?.code == .outputExists)
        }
        #expect(try folder.read("in/0.wav") == Array("0 good bytes".utf8))
    }

    @Test(
        "the folder of all outputs",
        arguments: [
            (["a/b/x", "a/b/y"], "a/b"), (["a/b/x", "a/c/y"], "a"), (["x", "y"], ""),
            (["/a/x", "/b/y"], "/"), (["/a/x", "b/y"], ""), (["../a/x", "../b/y"], ".."),
            (["a/b", "ab/c"], ""), ([], ""),
        ])
    func commonFolder(_ row: (paths: [String], folder: String)) {
        #expect(PathText.commonFolder(row.paths) == row.folder)
    }

    private static let isSlowWanted = getenv("MEDIAKIT_SLOW").map { $0.pointee == 0x31 } ?? false

    @Test("10,000 inputs, twice", .enabled(if: isSlowWanted, "MEDIAKIT_SLOW=1"))
    func tenThousand() throws {
        let folder = try makeInputs(10_000)
        let request = try request(folder, jobs: 8)
        #expect(try run(request).count(.done) == 10_000)
        #expect(try run(request).count(.skipped) == 10_000)
    }
}
