// What docs/chains.md and docs/batch.md say, asked of the program.

import MediaCore
import TestSupport
import Testing

@Suite("Issue 2, documents: what they say holds") struct DocumentTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func page(_ name: String) -> String {
        let bytes = (try? readFile("\(Workshop.root)/docs/\(name)")) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The lines of the blocks that begin with a word.
    private static func lines(_ word: String, of page: String) -> [String] {
        page.split(separator: "```").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
            .filter { $0.hasPrefix("\(word)\n") }
            .flatMap { $0.split(separator: "\n").dropFirst() }.map(String.init)
    }

    private static let chains = lines("chains", of: page("chains.md"))

    @Test("every chain of docs/chains.md runs", arguments: chains)
    func chain(_ text: String) throws {
        let result = try runMediakit([
            "play", "synth:sine=duration=0.3", "--clock", "free", "--filter", text,
        ])
        #expect(result.status == 0, "\(result)")
        #expect(result.errorText.isEmpty)
    }

    @Test("there are chains, and the wrong one fails as it says")
    func wrongChain() throws {
        #expect(Self.chains.count >= 7)
        let result = try runMediakit(["play", "x", "--filter", "normalizer=targt=-16"])
        let lines = try #require(
            Self.page("chains.md").split(separator: "```").dropFirst().first
        ).dropFirst()
        #expect(result.errorText.contains(lines), "\(result)")
    }

    @Test("names of outputs: every field, below a folder that was named and alone")
    func fields() throws {
        let talk = "rec/day 1/talk.wav"
        try SystemFileSystem().makeFolder(folder.file("rec/day 1"))
        _ = try MediaRecipe(name: talk, arguments: MediaRecipe.sound).make(in: folder)
        let rows = Self.page("batch.md").split(separator: "\n").filter { $0.hasPrefix("| `{") }
        #expect(rows.count == 6)
        for row in rows {
            let cells = row.split(separator: "|").map { cell in
                cell.split(separator: "`").dropFirst().first.map(String.init) ?? "1"
            }
            let index = cells[0] == "{index}"
            for (input, expected) in [("rec", cells[1]), (talk, cells[2])] {
                let result = try runMediakit(
                    ["batch", input, "--output", "out/<\(cells[0])>.flac", "--dry-run"],
                    folder: folder.path)
                let name = expected == "." && !index ? "." : expected
                #expect(
                    result.text == "\(talk) -> out/<\(name)>.flac: planned\n", "\(row) \(result)")
            }
        }
    }

    @Test("the report has the members that docs/batch.md tells of, and no others")
    func report() throws {
        _ = try MediaRecipe(name: "a.wav", arguments: MediaRecipe.sound).make(in: folder)
        let result = try runMediakit(
            [
                "batch", "a.wav", "--output", "out/a.flac", "--filter", "normalizer", "--json",
                "--progress", "json",
            ], folder: folder.path)
        let row = try #require(try JSON(parsing: result.output)["files"]?.elements?.first)
        let page = Self.page("batch.md")
        let told = page.split(separator: "\n").filter {
            $0.hasPrefix("| `") && !$0.hasPrefix("| `{")
        }
        .flatMap { $0.split(separator: "|")[0].split(separator: "`") }
        .map(String.init).filter { $0.allSatisfy { $0.isLetter || $0 == "_" } }
        #expect(try names(row) == Set(told))
        for name in try names(try #require(row["before"])) { #expect(page.contains("`\(name)`")) }
        let events = Self.lines("json", of: page).compactMap { try? JSON(parsing: $0.osBytes) }
        let seen = result.errorText.split(separator: "\n").compactMap {
            try? JSON(parsing: String($0).osBytes)
        }
        #expect(seen.count >= 4)
        for event in seen {
            let example = try #require(events.first { $0["event"] == event["event"] })
            #expect(try names(event) == names(example), "\(event)")
        }
    }

    private func names(_ json: JSON) throws -> Set<String> {
        guard case .object(let members) = json else { throw MediaError(.badArgument, "no object") }
        return Set(members.map(\.name))
    }

    /// The lines of the Swift blocks of a page, each block's as they are without indentation.
    private static func swift(_ page: String) -> [[String]] {
        self.page(page).split(separator: "```").enumerated().filter { $0.offset % 2 == 1 }
            .map(\.element).filter { $0.hasPrefix("swift\n") }.map { code($0.dropFirst(6)) }
    }

    private static func code(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { line in String(line.drop { $0 == " " }) }
    }

    @Test("the Swift programs of the pages are those that are built as one from outside")
    func programs() throws {
        func source(_ name: String) throws -> [String] {
            let bytes = try readFile("\(Workshop.root)/Tests/LibraryExample/\(name)")
            return Self.code(String(decoding: bytes, as: UTF8.self))
        }
        let program = try #require(Self.swift("library.md").last)
        #expect(try source("main.swift").dropFirst() == program[...])
        let lines = try #require(Self.swift("licence.md").first)
        let built = try source("Licensing.swift")
        #expect(lines.count >= 7)
        for line in lines { #expect(built.contains(line), "\(line)") }
    }

    @Test("the program of docs/library.md plays, converts and normalises")
    func library() throws {
        let sound = try MediaRecipe(name: "talk.wav", arguments: MediaRecipe.sound).make(in: folder)
        let program = mediakitPath.dropLast("mediakit".count) + "LibraryExample"
        let result = try run(String(program), [sound, folder.path])
        #expect(result.status == 0, "\(result)")
        #expect(result.text.contains("played to the end"))
        #expect(result.text.contains("quieter.mka: matroska"))
        #expect(try SystemFileSystem().facts(of: folder.file("level/quieter.flac")) != nil)
    }

    @Test("every page is reached from README.md")
    func links() throws {
        let readme = String(
            decoding: try readFile("\(Workshop.root)/README.md"), as: UTF8.self)
        let pages = try SystemFileSystem().list("\(Workshop.root)/docs").filter {
            $0.hasSuffix(".md")
        }
        #expect(pages.count >= 9)
        for page in pages { #expect(readme.contains("(docs/\(page))"), "\(page)") }
    }
}
