// Ways out of a contained script that were found once, each with what is there to be got.

import MediaCore
import MediaModel
import Plugins
import TestSupport
import Testing

@testable import Scripting

@Suite("Lua grants: ways out (issue: 4, 'scripts are contained by default')")
struct EscapeTests {
    private let bench: ScriptBench

    /// `jail` is granted; `outside` is not, and holds a secret.
    init() throws {
        bench = try ScriptBench()
        for name in ["jail", "jail/sub", "outside"] {
            try SystemFileSystem().makeFolder(bench.folder.file(name))
        }
        let secret = bench.folder.file("outside/secret.wav")
        try MediaFixture.write(.noise(level: -20, seconds: 0.2), secret)
        try bench.folder.write("jail/own.wav", try readFile(secret))
    }

    private func run(_ text: String, read: [String] = [], write: [String] = []) -> ScriptOutcome {
        var permissions = ScriptPermissions()
        permissions.read = read.isEmpty ? .none : .some(read)
        permissions.write = write.isEmpty ? .none : .some(write)
        return bench.run(text, permissions: permissions)
    }

    private func isThere(_ name: String) throws -> Bool {
        try SystemFileSystem().facts(of: bench.folder.file(name)) != nil
    }

    private func link(_ target: String, _ name: String) throws {
        #expect(try TestSupport.run("ln", ["-s", target, bench.folder.file(name)]).status == 0)
    }

    @Test("a zero byte does not cut a path off behind the check")
    func zeroByte() throws {
        let outcome = run(
            """
            local path = "outside/new.txt\\0/../../jail/x.txt"
            print(pcall(mk.write_file, path, "x"))
            print(pcall(mk.read_file, "outside/secret.wav\\0/../../jail/x"))
            print(pcall(mk.player, { sink = "wav", output = path }))
            """, read: ["jail"], write: ["jail"])
        #expect(
            outcome.lines.filter { $0.hasPrefix("true\tnil") || $0.hasPrefix("false") }.count == 3)
        #expect(outcome.printed.contains("no path has a zero byte"))
        #expect(try !isThere("outside/new.txt"))
        #expect(throws: MediaError.self) {
            try SystemFileSystem().open(bench.folder.file("a\0b"), .overwrite)
        }
        #expect(try !isThere("a"))
    }

    @Test(
        "wildcards, folders and links lead to nothing outside",
        arguments: [
            "mk.glob('s*/../../outside/*')", "mk.measure_all{ 's*/../../outside/*.wav' }",
            "mk.glob('jail/*/../../outside/*')", "mk.measure_all{ 'jail/s*/../../outside/*.wav' }",
            "mk.glob('jail/*/*.wav')", "mk.measure_all{ 'jail/*/*.wav' }",
            "mk.measure_all{ 'jail/link' }",
            "mk.batch('jail/l*', nil, { output = 'jail/out/{stem}.wav' })",
        ])
    func patterns(_ call: String) throws {
        try link("../outside", "jail/link")
        let outcome = run(
            "local ok, result = pcall(function() return \(call) end) "
                + "print(ok, ok and mk.json.encode(result) or result)",
            read: ["jail"], write: ["jail"])
        #expect(outcome.printed.hasPrefix("false"), "\(outcome.printed) \(outcome.reported)")
        #expect(outcome.printed.contains("--allow-read"), "\(outcome.printed)")
        #expect(try !isThere("jail/out/secret.wav"))
    }

    @Test(
        "a folder is not left through a link in it",
        arguments: [
            "mk.measure_all{ 'jail' }", "mk.batch('jail', nil, { output = 'jail/out/{stem}.wav' })",
        ])
    func folders(_ call: String) throws {
        try link("../outside", "jail/link")
        let outcome = run(
            "local files = \(call).files print(#files, files[1].input)", read: ["jail"],
            write: ["jail"])
        #expect(outcome.printed == "1\tjail/own.wav\n", "\(outcome.printed) \(outcome.reported)")
        #expect(try !isThere("jail/out/secret.wav"))
    }

    @Test("a scheme in capitals is the name of a folder, and nothing else")
    func capitals() throws {
        try SystemFileSystem().makeFolder(bench.folder.file("jail/SYNTH:"))
        for scheme in ["SYNTH:", "FILE:", "Synth:", "File:"] {
            let outcome = run(
                "print(pcall(mk.probe, '\(scheme)/../outside/secret.wav'))", read: ["jail"])
            #expect(outcome.printed.contains("--allow-read="), "\(outcome.printed)")
        }
    }

    @Test(
        "encoders write no files of their own",
        arguments: [
            "video_options = 'x264-params=dump-yuv=outside/new'",
            "video_options = 'x264opts=dump-yuv=outside/new'",
            "video_options = 'flags=+pass1:stats=outside/new'",
            "video_options = 'stats=outside/new'", "audio_options = 'stats=outside/new'",
        ])
    func encoders(_ option: String) throws {
        let outcome = run(
            """
            local common = { sink = "file", container = "matroska", output = "-", \(option),
              video_encoder = "libx264" }
            print(pcall(mk.player, common))
            print(pcall(mk.batch, "jail/own.wav", nil, { output = "jail/o.mkv", \(option) }))
            """, read: ["jail"], write: ["jail"])
        #expect(outcome.lines.filter { $0.contains("set the encoder's option") }.count == 2)
        #expect(try !isThere("outside/new"))
        let harmless = run(
            "print(mk.player{ sink = 'file', container = 'matroska', output = '-', "
                + "video_options = 'preset=fast:crf=20', audio_options = 'compression_level=8' })")
        #expect(harmless.status == 0, "\(harmless.reported)")
    }

    @Test("containers of several files need their folder, or everything")
    func severalFiles() throws {
        let outcome = run(
            """
            print(pcall(mk.player, { sink = "file", output = "jail/out.m3u8" }))
            print(pcall(mk.player, { sink = "png", output = "jail/%03d.png" }))
            """, write: ["jail/out.m3u8", "jail/%03d.png"])
        #expect(outcome.lines.allSatisfy { $0.hasPrefix("false") })
        #expect(outcome.lines.count == 2)
        let pictures = run(
            "print(mk.player{ sink = 'png', output = 'jail/%03d.png' })", write: ["jail"])
        #expect(pictures.status == 0, "\(pictures.reported)")
    }

    @Test("names of outputs are names of files, in capitals and as addresses too")
    func outputNames() throws {
        let outside = bench.folder.file("outside")
        try SystemFileSystem().makeFolder(bench.folder.file("jail/file:"))
        let outcome = run(
            """
            local function write(options)
              options.clock, options.sink = "free", options.sink or "file"
              local ok, player = pcall(mk.player, options)
              if not ok then return print(player) end
              player:open("synth:testsrc2=duration=0.2:size=64x64")
              player:play()
              print(player:wait(10))
            end
            write{ sink = "png", output = "file:\(outside)/p%d.png" }
            write{ container = "Tee", output = "jail/x|[f=u8]\(outside)/tee" }
            write{ container = "HLS", output = "jail/x.m3u8" }
            write{ container = "rtsp", output = "rtsp://127.0.0.1:9/x" }
            """, write: ["."])
        #expect(outcome.lines.count >= 4, "\(outcome.printed) \(outcome.reported)")
        #expect(try bench.folder.names().contains("outside"))
        #expect(try SystemFileSystem().list(outside) == ["secret.wav"])
    }

    @Test("names are compared by bytes, and links that lead nowhere are not written through")
    func names() throws {
        try SystemFileSystem().makeFolder(bench.folder.file("gre\u{301}"))
        try bench.folder.write("gre\u{301}/x.txt", "s".utf8)
        let other = run("print(pcall(mk.read_file, 'gre\u{301}/x.txt'))", read: ["gr\u{e9}"])
        #expect(other.printed.hasPrefix("false"))
        try link("../outside/new.txt", "jail/dangling")
        try link("../jail/own.txt", "outside/in")
        let outcome = run(
            """
            print(pcall(mk.write_file, "jail/dangling", "x"))
            print(pcall(mk.player, { sink = "wav", output = "jail/dangling" }))
            """, write: ["jail"])
        #expect(outcome.lines.filter { $0.contains("leads nowhere") }.count == 2)
        #expect(try !isThere("outside/new.txt"))
        // What was checked is what is written: the file, not the link to it.
        try bench.folder.write("jail/own.txt", "old".utf8)
        let through = run("assert(mk.write_file('outside/in', 'new'))", write: ["jail"])
        #expect(through.status == 0, "\(through.reported)")
        #expect(try bench.folder.read("jail/own.txt") == Array("new".utf8))
    }

    @Test("no link under a temporary name is written through")
    func temporaryNames() throws {
        for name in ["jail/a.txt.mk-part", "jail/.a.txt.part"] { try link("../outside/new", name) }
        let outcome = run("assert(mk.write_file('jail/a.txt', 'x'))", write: ["jail"])
        #expect(outcome.status == 0, "\(outcome.reported)")
        #expect(try bench.folder.read("jail/a.txt") == Array("x".utf8))
        #expect(try !isThere("outside/new"))
    }

    @Test("every filter of this FFmpeg that names a file is known")
    func filters() throws {
        let raw = try #require(try BuiltinPlugins.makeRegistry().rawFilters)
        let words = ["file", "path", "url", "model", "plugin", "librar", "director"]
        var found = 0
        let listed = try TestSupport.run("ffmpeg", ["-hide_banner", "-filters"]).text
        let names = listed.split(separator: "\n").filter { $0.contains("->") }
            .compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
        #expect(names.count > 400)
        for name in names {
            for option in raw.describe(name) ?? [] {
                guard case .string = option.kind else { continue }
                let text = "\(option.name) \(option.summary)".lowercased()
                // libswscale's flags are no file.
                guard option.name != "flags", words.contains(where: text.contains) else { continue }
                found += 1
                #expect(!FilterReach.found(in: name).isEmpty, "\(name): \(text)")
            }
        }
        #expect(found > 30)
    }
}
