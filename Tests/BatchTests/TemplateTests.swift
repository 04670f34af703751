// Names of outputs.

import MediaCore
import TestSupport
import Testing

@testable import Batch

@Suite("Issue 2, section 5: output template")
struct TemplateTests {
    private let facts = FileFacts(kind: .file, size: 1, modified: 0, identity: [1, 1], mode: 0o644)

    private func path(
        _ template: String, _ input: String, below: String = "", index: Int = 7
    ) throws -> String {
        try OutputTemplate(parsing: template)
            .path(for: BatchInput(path: input, subfolder: below, facts: facts), index: index)
    }

    @Test(
        "each field of a template",
        arguments: [
            ("OUT/{stem}.flac", "in/a b.wav", "OUT/a b.flac"),
            ("{dir}/{stem}-loud.{ext}", "in/sub/song.mp3", "in/sub/song-loud.mp3"),
            ("{dir}/{stem}-loud.{ext}", "song.mp3", "song-loud.mp3"),
            ("OUT/{dir}/{name}", "/abs/x.wav", "OUT/abs/x.wav"),
            ("OUT/{index}-{name}", "x.wav", "OUT/7-x.wav"),
            ("OUT/{index:4}.flac", "x.wav", "OUT/0007.flac"),
            ("OUT/", "x.tar.gz", "OUT/x.tar.gz"),
            ("OUT/{stem}.{ext}", "noext", "OUT/noext"),
            ("OUT/{stem}.{ext}", ".hidden", "OUT/.hidden"),
            ("OUT/{stem}.{ext}", "trailing.", "OUT/trailing"),
            ("{{{stem}}}.wav", "x.mp3", "{x}.wav"),
            ("./OUT//{stem}.wav", "x.mp3", "OUT/x.wav"),
            ("OUT/{stem}.wav", "q'\"\n\\.mp3", "OUT/q'\"\n\\.wav"),
        ])
    func fields(_ row: (template: String, input: String, output: String)) throws {
        #expect(try path(row.template, row.input) == row.output)
    }

    @Test("{rel} keeps the tree below the folder that was named")
    func tree() throws {
        #expect(try path("OUT/{rel}/{name}", "in/a/b/x.wav", below: "a/b") == "OUT/a/b/x.wav")
        #expect(try path("OUT/{rel}/{name}", "in/x.wav") == "OUT/x.wav")
    }

    @Test("bytes that are not UTF-8 pass through")
    func rawBytes() throws {
        let name = String(osBytes: [0x61, 0xFF, 0xCC, 0x81, 0x2E, 0x77, 0x61, 0x76])
        #expect(
            try path("O/{stem}.flac", name).osBytes == Array("O/".utf8) + [0x61, 0xFF, 0xCC, 0x81]
                + Array(".flac".utf8))
    }

    @Test("a combining letter behind a slash does not hide the slash")
    func combining() throws {
        #expect(try path("O/{stem}.flac", "a/\u{301}b.wav") == "O/\u{301}b.flac")
    }

    @Test(
        "wrong templates are refused with a reason",
        arguments: [
            ("", "empty"), ("{stm}.wav", "did you mean 'stem'"), ("{stem.wav", "without '}'"),
            ("a}b", "without '{'"), ("{stem:3}", "no width"), ("{index:0}", "1…20"),
            ("{index:x}", "1…20"),
        ])
    func refusals(_ row: (template: String, reason: String)) {
        let error = #expect(throws: MediaError.self) { try OutputTemplate(parsing: row.template) }
        #expect(error?.code == .badArgument)
        #expect(error?.message.contains(row.reason) == true, "\(error?.message ?? "")")
    }

    @Test(
        "the folder that does not depend on the input",
        arguments: [
            ("OUT/{stem}.flac", "OUT"), ("OUT/a/x-{dir}/{stem}", "OUT/a"), ("{dir}/{stem}", nil),
            ("x-{stem}.flac", "."), ("/abs/{stem}", "/abs"), ("x{dir}/y", nil),
        ] as [(String, String?)])
    func fixedFolder(_ row: (template: String, folder: String?)) throws {
        #expect(try OutputTemplate(parsing: row.template).fixedFolder == row.folder)
    }
}
