// What a journal keeps, and what damage does to it.

import Glibc
import MediaCore
import TestSupport
import Testing

@testable import Batch

@Suite("Issue 2, section 5: journal")
struct JournalTests {
    private let files = SystemFileSystem()

    private func entry(_ number: Int) -> JournalEntry {
        JournalEntry(
            input: "in/\(number).wav", source: FileStamp(size: 1, modified: 2), recipe: "r",
            output: "out/\(number).flac", result: FileStamp(size: 3, modified: 4),
            isInPlace: false, row: .object([.init("gain", .double(1.5))]))
    }

    private var bytes: [UInt8] {
        JournalLine.header
            + JournalLine.run(recipe: "r", description: .string("x")).bytes
            + JournalLine.begin(temporary: "out/.1").bytes
            + (1...3).flatMap { JournalLine.done(entry($0)).bytes }
    }

    @Test("entries come back as they were written, odd names too")
    func roundTrip() throws {
        let name = String(osBytes: Array("q\"\n\\\u{7F}".utf8) + [0xFF, 0xC0]) + "/é"
        var odd = entry(1)
        odd.input = name
        odd.output = name + "x"
        odd.isInPlace = true
        let contents = try JournalReader.read(JournalLine.header + JournalLine.done(odd).bytes)
        #expect(contents.entries[PathKey(name + "x")] == odd)
        #expect(contents.damagedLines == 0)
    }

    @Test("torn at every byte, the whole lines before the tear are kept")
    func torn() throws {
        let whole = bytes
        let ends = whole.indices.filter { whole[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
        for length in 0...whole.count {
            let contents = try JournalReader.read(Array(whole[..<length]))
            let kept = ends.filter { $0 <= length }
            #expect(contents.wholeLength == kept.last ?? 0)
            #expect(contents.entries.count == max(0, kept.count - 3))
            #expect(contents.damagedLines == 0)
        }
    }

    @Test("each byte changed, no entry is wrong, and only its line is lost")
    func damaged() throws {
        let whole = bytes
        for index in JournalLine.header.count..<whole.count {
            var copy = whole
            copy[index] ^= 0x15
            let contents = try JournalReader.read(copy)
            for (output, found) in contents.entries {
                #expect(PathKey(found.output) == output)
                #expect((1...3).contains { entry($0) == found })
            }
            #expect(contents.entries.count >= 1)
        }
    }

    @Test("what is no journal is refused and left alone")
    func foreign() throws {
        let folder = try TemporaryFolder()
        for text in ["fLaC\u{0}\u{1}", "{\"a\":1}\n", "\n", "{\"mediakit\":\"batch journal\"}\n"] {
            let path = try folder.write("song.flac", text.utf8)
            let error = #expect(throws: MediaError.self) {
                try Journal.open(path, files: files)
            }
            #expect(error?.code == .badArgument)
            #expect(try folder.read("song.flac") == Array(text.utf8))
        }
    }

    @Test("what has no end is never read: pipes, devices, large files that are no journal")
    func endless() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        var names = ["pipe", "."]
        if mknod(folder.file("zero"), S_IFCHR | 0o600, 1 << 8 | 5) == 0 { names.append("zero") }
        for name in names {
            for open in [
                { _ = try Journal.peek($0, files: files) },
                { _ = try Journal.open($0, files: files) },
            ]
                as [(String) throws -> Void]
            {
                let error = #expect(throws: MediaError.self) { try open(folder.file(name)) }
                #expect(error?.code == .badArgument, "\(name)")
            }
        }
        let film = try folder.write("film.mp4", [])
        #expect(truncate(film, 1 << 33) == 0)
        let counting = FaultyFileSystem()
        #expect(throws: MediaError.self) { try Journal.peek(film, files: counting) }
        #expect(counting.callCount < 6)
    }

    @Test("opening cuts a torn line off, and what is appended then is whole")
    func cutAndAppend() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("j", bytes.dropLast(10))
        let journal = try Journal.open(path, files: files)
        #expect(journal.contents.entries.count == 2)
        try journal.append([.done(entry(9))], isSynced: true)
        try journal.close()
        let contents = try JournalReader.read(try folder.read("j"))
        #expect(contents.entries.count == 3)
        #expect(contents.damagedLines == 0)
    }

    @Test("a journal has one run at a time")
    func claimed() throws {
        let folder = try TemporaryFolder()
        let first = try Journal.open(folder.file("j"), files: files)
        let error = #expect(throws: MediaError.self) {
            try Journal.open(folder.file("j"), files: files)
        }
        #expect(error?.code == .invalidState)
        try first.close()
        try Journal.open(folder.file("j"), files: files).close()
    }

    @Test("random bytes never crash the reader")
    func random() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let tail = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            for start in [[], JournalLine.header] {
                let contents = try? JournalReader.read(start + tail)
                #expect(contents?.entries.isEmpty ?? true)
            }
        }
    }

    @Test("the checksums are the published ones")
    func checksums() {
        #expect(Checksum.crc32("123456789".utf8) == "cbf43926")
        #expect(Checksum.fnv128("".utf8) == "6c62272e07bb014262b821756295c58d")
        #expect(Checksum.fnv128("a".utf8) == "d228cb696f1a8caf78912b704e4a8964")
    }
}
