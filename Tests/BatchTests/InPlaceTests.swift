// What replacing inputs must never do: filter a result again, lose something, reach too far.

import Glibc
import MediaCore
import MediaModel
import TestSupport
import Testing

@testable import Batch

@Suite("Issue 2, in place: what is a result is left alone")
struct InPlaceTests {
    private let files = SystemFileSystem()

    private func makeInputs(_ folder: TemporaryFolder) throws {
        try files.makeFolder(folder.file("in/sub"))
        for name in ["in/a.wav", "in/b.wav", "in/sub/c.wav"] {
            try folder.write(name, "bytes of \(name)".utf8)
        }
    }

    private func request(_ folder: TemporaryFolder, _ name: String = "in") -> BatchRequest {
        var request = BatchRequest(inputs: [folder.file(name)], output: nil)
        request.isInPlace = true
        return request
    }

    private func run(_ request: BatchRequest) throws(MediaError) -> BatchSummary {
        try BatchRunner(request, processor: FakeProcessor(files: files), files: files).run()
    }

    @Test("whatever changes outside: versions, the chain, the settings; only force filters again")
    func everReplaced() throws {
        let folder = try TemporaryFolder()
        try makeInputs(folder)
        var request = request(folder)
        #expect(try run(request).count(.done) == 3)
        let made = try folder.read("in/a.wav")
        request.engine = "another version"
        let again = try run(request)
        #expect(again.count(.skipped) == 3)
        #expect(again.results.allSatisfy { $0.note == nil })
        request.chain = FilterChain([FilterSpec(.raw("volume=-3dB"))])
        let other = try run(request)
        #expect(other.count(.skipped) == 3)
        #expect(other.exitStatus == 0)
        #expect(other.results.allSatisfy { $0.note?.contains("is a result already") == true })
        #expect(try folder.read("in/a.wav") == made)
        request.repeatsFinished = true
        #expect(try run(request).count(.done) == 3)
        #expect(try folder.read("in/a.wav") == FakeProcessor.result(of: made))
    }

    @Test("a folder that was moved or copied, a file that was renamed, are known by the journal")
    func moved() throws {
        let folder = try TemporaryFolder()
        try makeInputs(folder)
        #expect(try run(request(folder)).count(.done) == 3)
        let made = try folder.read("in/sub/c.wav")
        let copied = try TestSupport.run(
            "cp", ["-rp", folder.file("in"), folder.file("copy")])
        #expect(copied.status == 0, "\(copied)")
        #expect(try run(request(folder, "copy")).count(.skipped) == 3)
        try files.rename(folder.file("in"), to: folder.file("moved"))
        try files.rename(folder.file("moved/a.wav"), to: folder.file("moved/z.wav"))
        try folder.write("moved/new.wav", "new".utf8)
        let summary = try run(request(folder, "moved"))
        #expect(summary.count(.skipped) == 3)
        #expect(summary.count(.done) == 1)
        #expect(try folder.read("moved/sub/c.wav") == made)
        #expect(try folder.read("moved/new.wav") == FakeProcessor.result(of: Array("new".utf8)))
    }

    @Test("results are known from journals further down, and further up where that is allowed")
    func otherJournals() throws {
        let folder = try TemporaryFolder()
        try makeInputs(folder)
        #expect(try run(request(folder, "in/sub")).count(.done) == 1)
        let whole = try run(request(folder))
        #expect(whole.results.map(\.status) == [.done, .done, .skipped])
        let other = try TemporaryFolder()
        try makeInputs(other)
        #expect(try run(request(other)).count(.done) == 3)
        var below = request(other, "in/sub")
        below.looksAbove = true
        #expect(try run(below).count(.skipped) == 1)
        try other.write("in/sub/.mediakit-journal.jsonl", "no journal".utf8)
        below.journal = other.file("own.jsonl")
        #expect(try run(below).count(.skipped) == 1)
    }

    @Test("a journal of an earlier version is read, and believed")
    func oldJournal() throws {
        let folder = try TemporaryFolder()
        try makeInputs(folder)
        let path = folder.file("in/a.wav")
        let entry = JournalEntry(
            input: "in/a.wav", source: FileStamp(size: 1, modified: 2), recipe: "with versions",
            output: "/gone/in/a.wav", result: FileStamp(try files.facts(of: path)),
            isInPlace: true, row: .object([]))
        try folder.write(
            "in/.mediakit-journal.jsonl", JournalLine.header + JournalLine.done(entry).bytes)
        let summary = try run(request(folder))
        #expect(summary.results.map(\.status) == [.skipped, .done, .done])
        #expect(summary.results[0].note != nil)
        #expect(try folder.read("in/a.wav") == Array("bytes of in/a.wav".utf8))
    }

    @Test("what is replaced keeps mode, owner and attributes, from the first byte on")
    func attributes() throws {
        let folder = try TemporaryFolder()
        for name in ["in", "out"] { try files.makeFolder(folder.file(name)) }
        let input = try folder.write("in/a.wav", "secret".utf8)
        let output = try folder.write("out/a.wav", "old".utf8)
        let isRoot = geteuid() == 0
        var hasAttributes = true
        for path in [input, output] {
            if isRoot { #expect(chown(path, 1234, 4321) == 0) }
            #expect(chmod(path, 0o600) == 0)
            hasAttributes = UserAttributes.set("user.note", [7], of: path)
        }
        let processor = FakeProcessor(files: files) { item in
            let place = PathText.folder(of: item.output)
            let names = (try? files.list(place).filter { $0.hasSuffix(".tmp") }) ?? []
            #expect(names.count == 1)
            for name in names {
                #expect((try? files.facts(of: PathText.join(place, name)))??.mode == 0o600)
            }
        }
        var elsewhere = BatchRequest(
            inputs: [input], output: try OutputTemplate(parsing: folder.file("out/{name}")))
        elsewhere.repeatsFinished = true
        for request in [elsewhere, request(folder)] {
            let summary = try BatchRunner(request, processor: processor, files: files).run()
            #expect(summary.count(.done) == 1)
        }
        for path in [input, output] {
            #expect(try readFile(path) == FakeProcessor.result(of: Array("secret".utf8)))
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o600)
            if isRoot { #expect(status.st_uid == 1234 && status.st_gid == 4321) }
            if hasAttributes { #expect(UserAttributes.get("user.note", of: path) == [7]) }
        }
    }

    @Test("plugins that come or go decide nothing in place")
    func otherPlugins() throws {
        struct Extra: FilterPlugin {
            let info = PluginInfo(name: "extra", summary: "Comes later.", version: "1")
            func makeFilter(_ options: Options) throws(MediaError) -> sending any AudioFilter {
                throw MediaError(.internalError, "not used")
            }
        }
        let folder = try TemporaryFolder()
        let path = folder.file("in.flac")
        try MediaFixture.write(Signal.noise(level: -20, seconds: 0.5), path)
        let registry = try MediaFixture.makeRegistry()
        var request = BatchRequest(
            inputs: [path], chain: try FilterChain(parsing: "volume=-3dB", registry: registry),
            output: nil)
        request.isInPlace = true
        request.engine = registry.signature
        #expect(try BatchRunner(request, registry: registry).run().count(.done) == 1)
        let made = try readFile(path)
        try registry.register([Extra()])
        request.engine = registry.signature
        let again = try BatchRunner(request, registry: registry).run()
        #expect(again.count(.skipped) == 1)
        #expect(again.results[0].note == nil)
        #expect(try readFile(path) == made)
    }
}
