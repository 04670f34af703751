// Each file operation of a batch fails once: nothing half-made, the right error, a re-run completes.

import Batch
import MediaCore
import TestSupport
import Testing

@Suite("Issue 2, ways to break it: the N-th file operation fails")
struct BatchFaultTests {
    private let system = SystemFileSystem()
    private static let contents: [String: [UInt8]] = [
        "a.wav": Array("first".utf8), "b.wav": (0..<200).map { UInt8($0) },
        "c.wav": Array("BADfile".utf8),
    ]
    // What the file system's faults are called where they surface.
    private static let expectedCodes: Set<MediaError.Code> = [
        .inputFailed, .outputFailed, .diskFull,
    ]

    private struct Setup {
        let folder: TemporaryFolder
        let request: BatchRequest
        /// What lies under the final names before and after, by path.
        let before: [String: [UInt8]]
        let after: [String: [UInt8]]
    }

    private func setUp(inPlace: Bool) throws -> Setup {
        let folder = try TemporaryFolder()
        try system.makeFolder(folder.file("in"))
        var before: [String: [UInt8]] = [:]
        var after: [String: [UInt8]] = [:]
        for (name, bytes) in BatchFaultTests.contents {
            try folder.write("in/\(name)", bytes)
            let output = inPlace ? folder.file("in/\(name)") : folder.file("out/x/\(name)")
            if inPlace { before[output] = bytes }
            if !bytes.starts(with: "BAD".utf8) { after[output] = FakeProcessor.result(of: bytes) }
        }
        var request = BatchRequest(
            inputs: [folder.file("in")],
            output: inPlace ? nil : try OutputTemplate(parsing: folder.file("out/x/{name}")))
        request.isInPlace = inPlace
        request.report = folder.file("report.json")
        return Setup(folder: folder, request: request, before: before, after: after)
    }

    private func run(_ setup: Setup, _ files: any FileSystem) throws(MediaError) -> BatchSummary {
        try BatchRunner(setup.request, processor: FakeProcessor(files: files), files: files).run()
    }

    private func check(_ setup: Setup, _ path: String, isDone: Bool, _ comment: Comment) throws {
        let found = try system.facts(of: path) == nil ? nil : try readFile(path)
        if isDone {
            #expect(found == setup.after[path], comment)
        } else {
            #expect(found == setup.before[path] || found == setup.after[path], comment)
        }
    }

    @Test(
        "for all N: no partial file, the right error, a re-run completes",
        arguments: FileFault.allCases, [false, true])
    func everyCallFails(_ fault: FileFault, inPlace: Bool) throws {
        let counting = FaultyFileSystem()
        #expect(try run(try setUp(inPlace: inPlace), counting).count(.done) == 2)
        let total = counting.callCount
        #expect(total > 40)
        for number in 1...total {
            let setup = try setUp(inPlace: inPlace)
            let files = FaultyFileSystem(failingCall: number, fault)
            var failures: [MediaError] = []
            var done: Set<String> = []
            do {
                let summary = try run(setup, files)
                done = Set(summary.results.filter { $0.status == .done }.map(\.output))
                failures = summary.results.compactMap(\.error).filter { $0.code != .decodeFailed }
            } catch {
                failures = [error]
            }
            let comment: Comment = "\(fault) in call \(number): \(files.failedCall ?? "none")"
            for path in Set(setup.after.keys).union(setup.before.keys) {
                try check(setup, path, isDone: done.contains(path), comment)
            }
            for error in failures {
                #expect(BatchFaultTests.expectedCodes.contains(error.code), comment)
            }
            if done.count < 2 { #expect(!failures.isEmpty, comment) }

            let rest = try run(setup, system)
            #expect(rest.count(.done) + rest.count(.skipped) == 2, comment)
            #expect(rest.count(.failed) == 1, comment)
            for (path, bytes) in setup.after { #expect(try readFile(path) == bytes, comment) }
            let folders = inPlace ? ["in"] : ["out/x", "in"]
            for folder in folders {
                let left = try system.list(setup.folder.file(folder)).filter {
                    $0.hasSuffix(".tmp")
                }
                #expect(left.isEmpty, comment)
            }
        }
    }

    @Test(
        "for all N with real media, measured and encoded: no partial file, a re-run completes",
        arguments: [FileFault.inputOutputError, .shortWrite])
    func everyCallFailsWithMedia(_ fault: FileFault) throws {
        let folder = try TemporaryFolder()
        let registry = try MediaFixture.makeRegistry()
        let input = folder.file("in.wav")
        try MediaFixture.write(Signal.noise(level: -20, seconds: 0.6, rate: 16_000), input)
        let output = folder.file("out/x.flac")
        let request = try MediaFixture.request(
            [input], to: -20, output: output, registry: registry)
        let counting = FaultyFileSystem()
        #expect(try BatchRunner(request, registry: registry, files: counting).run().exitStatus == 0)
        let expected = try readFile(output)
        let total = counting.callCount
        #expect(total > 25)
        for number in 1...total {
            for name in try system.list(folder.file("out")) {
                try system.remove(folder.file("out/\(name)"))
            }
            let files = FaultyFileSystem(failingCall: number, fault)
            var failure: MediaError?
            do {
                failure = try BatchRunner(request, registry: registry, files: files).run()
                    .results.first?.error
            } catch {
                failure = error
            }
            let comment: Comment = "\(fault) in call \(number): \(files.failedCall ?? "none")"
            let found = try system.facts(of: output) == nil ? nil : try readFile(output)
            #expect(found == nil || found == expected, comment)
            if let failure {
                #expect(
                    BatchFaultTests.expectedCodes.contains(failure.code), "\(comment) \(failure)")
            } else {
                #expect(found == expected, comment)
            }
            #expect(try BatchRunner(request, registry: registry).run().exitStatus == 0, comment)
            #expect(try readFile(output) == expected, comment)
        }
    }
}
