// What scripts hand over: option tables, names of codecs, patterns, and words of refusals.

import MediaCore
import MediaModel
import TestSupport
import Testing

@testable import Scripting

@Suite("Lua options and names (issue: 4)")
struct OptionScriptTests {
    @Test("codecs are switched by the names people write; what is none is refused")
    func codecs() throws {
        let bench = try ScriptBench()
        let outcome = bench.run(
            """
            mk.plugins.enable_codec("h265", false)
            mk.plugins.enable_codec("H.264", false)
            mk.plugins.enable_codec("vvc", false)
            print(pcall(mk.plugins.enable_codec, "h264x", false))
            print(pcall(mk.plugins.enable_codec, "none", false))
            """)
        #expect(
            outcome.lines == [
                "false\tno codec 'h264x'; did you mean 'h264'?", "false\tno codec 'none'",
            ])
        for codec in ["hevc", "h264", "vvc"] { #expect(!bench.registry.isCodecEnabled(codec)) }
        try bench.registry.setCodecEnabled("hevc", true)
        #expect(bench.registry.isCodecEnabled("hevc"))
    }

    @Test("patterns give files, and ** those at any depth")
    func glob() throws {
        let bench = try ScriptBench()
        let files = SystemFileSystem()
        for name in ["g", "g/sub", "g/sub/deep", "g/.hidden"] {
            try files.makeFolder(bench.folder.file(name))
        }
        for name in ["g/a.txt", "g/sub/b.txt", "g/sub/deep/c.txt", "g/.hidden/d.txt", "g/.e"] {
            try bench.folder.write(name, Array("x".utf8))
        }
        let outcome = bench.run(
            """
            for _, pattern in ipairs{ "g/**", "g/*", "g/**/*.txt", "g", "g/.*" } do
              print(table.concat(mk.glob(pattern), " "))
            end
            """)
        #expect(outcome.reported == "")
        #expect(
            outcome.printed.split(separator: "\n", omittingEmptySubsequences: false).prefix(5) == [
                "g/a.txt g/sub/b.txt g/sub/deep/c.txt", "g/a.txt",
                "g/a.txt g/sub/b.txt g/sub/deep/c.txt", "", "g/.e",
            ])
    }

    @Test("another sink begins anew; the others of the player's options stay")
    func sinks() throws {
        try check(
            """
            local player = mk.player{ clock = "free", sink = "file", output = "a.flac",
              container = "flac" }
            assert(player:set_sink{ output = "b.flac" })
            print(player:config().output, player:config().container)
            assert(player:set_sink{ sink = "null" })
            print(player:config().output, player:config().container, player:config().clock)
            """, ["b.flac\tflac", "nil\tnil\tfree"])
    }

    @Test(
        "options are of the type that the stub says",
        arguments: [
            ("mk.player{ start = '5' }", "option 'start': number expected, got string"),
            ("mk.player{ autoplay = 1 }", "option 'autoplay': boolean expected, got number"),
            ("mk.player{ output = 5 }", "option 'output': string expected, got number"),
            (
                "mk.batch('synth:sine', nil, { output = 'a.wav', jobs = '2' })",
                "option 'jobs': number expected, got string"
            ),
            (
                "mk.player{ audio_bitrate = 128000.5 }",
                "'128000.5' is not a whole number, 1000…100000000 bit/s"
            ),
            ("mk.batch({ 'a.wav' })", "with `output = \"OUT/{stem}.flac\"` or `in_place = true`"),
            ("mk.batch('a', nil, { output = 'x', in_place = true })", "not both"),
        ])
    func types(_ text: String, _ message: String) throws {
        let outcome = try ScriptBench().run(text)
        #expect(outcome.status == 2)
        #expect(outcome.reported.contains(message), "\(outcome.reported)")
    }

    @Test("the reference has units for numbers only, and no flags among options")
    func units() {
        let reference = ScriptAPI.reference
        for word in ["In FILE.", "In TEMPLATE.", "In LIST.", "In CHAIN."] {
            #expect(!reference.contains(word))
        }
        #expect(reference.contains(" In s."))
        #expect(!reference.contains("--in-place"))
    }

    @Test("what a batch advises is advised in options")
    func advice() throws {
        #expect(
            BatchWords.script(
                "elsewhere (--journal FILE), or with --in-place; a--force.wav --force")
                == "elsewhere (`journal`), or with `in_place = true`; a--force.wav `force = true`")
        let outcome = try ScriptBench().run(
            """
            print(mk.license.load("none.json"))
            assert(mk.write_file("a.wav", "x"))
            local summary = mk.batch("a.wav", nil, { output = "a.wav", force = true })
            print(summary and summary.files[1].message)
            """)
        #expect(!outcome.printed.contains(" --"), "\(outcome.printed)")
    }

    @Test("a bound that is met names the flag that lifts it")
    func bounds() throws {
        let full = try ScriptBench().run("local t = ('x'):rep(64 << 20)", memory: 32 << 20)
        #expect(full.status == 2)
        #expect(
            full.reported.contains("not enough memory; --script-memory gives it more than 32 MiB"),
            "\(full.reported)")
        let slow = try ScriptBench().run("while true do end", timeout: 0.2)
        #expect(
            slow.reported.contains("without a pause; --script-timeout gives it more than 0.2 s"),
            "\(slow.reported)")
    }

    @Test("pictures in files of their own ask for the grant they need, once")
    func pictures() throws {
        let script = "mk.player{ sink = 'png', output = 'out/%05d.png' } print('made')"
        let bench = try ScriptBench()
        try SystemFileSystem().makeFolder(bench.folder.file("out"))
        let refused = bench.run(script, permissions: ScriptPermissions())
        #expect(refused.reported.contains("run it with --allow-write=out\n"), "\(refused.reported)")
        var permissions = ScriptPermissions()
        permissions.write = .some(["out"])
        #expect(bench.run(script, permissions: permissions).printed == "made\n")
        let here = bench.run(
            "mk.player{ sink = 'png', output = '%05d.png' }", permissions: ScriptPermissions())
        #expect(here.reported.contains("run it with --allow-write=.\n"), "\(here.reported)")
    }
}
