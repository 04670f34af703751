// What contained scripts may touch, and what they are told when they may not.

import MediaCore
import MediaModel
import Scripting
import TestSupport
import Testing

@Suite("Lua grants (issue: 4, 'scripts are contained by default')")
struct PermissionTests {
    private func grants(
        read: [String] = [], write: [String] = [], net: [String] = [], run: [String] = []
    ) -> ScriptPermissions {
        func scope(_ names: [String]) -> ScriptPermissions.Scope {
            names.isEmpty ? .none : names == ["*"] ? .all : .some(names)
        }
        var permissions = ScriptPermissions()
        permissions.read = scope(read)
        permissions.write = scope(write)
        permissions.net = scope(net)
        permissions.run = scope(run)
        return permissions
    }

    @Test(
        "without grants each door is shut, and the message names the flag",
        arguments: [
            ("mk.read_file('a.txt')", "may not read a.txt; run it with --allow-read=a.txt"),
            ("mk.file_info('/etc/passwd')", "--allow-read=/etc/passwd"),
            ("mk.glob('*')", "--allow-read=."),
            ("mk.glob('/etc/*')", "--allow-read=/etc"),
            ("mk.write_file('a.txt', 'x')", "may not write a.txt; run it with --allow-write=a.txt"),
            ("mk.execute('true')", "may not run true; run it with --allow-run=true"),
            ("mk.plugins.load('a.so')", "load the plugin a.so; run it with --allow-plugins=a.so"),
            ("mk.plugins.load('/usr/lib/a.so')", "--allow-plugins=/usr/lib/a.so"),
            ("mk.probe('a.wav')", "--allow-read=a.wav"),
            ("mk.probe('file:a.wav')", "--allow-read=a.wav"),
            ("mk.probe('file:///etc/passwd')", "--allow-read=/etc/passwd"),
            ("mk.measure('a.wav')", "--allow-read=a.wav"),
            ("mk.measure_all{'a*.wav'}", "--allow-read=."),
            ("mk.probe('https://host.example:8080/x.m3u8')", "--allow-net=host.example"),
            ("mk.player():open('rtmp://user:pw@host.example/x')", "--allow-net=host.example"),
            ("mk.player():open('a.wav')", "--allow-read=a.wav"),
            ("mk.player{ sink = 'wav', output = 'a.wav' }", "--allow-write=a.wav"),
            ("mk.batch('synth:sine', nil, { output = 'o/{index}.wav' })", "--allow-write=o/1.wav"),
            (
                "mk.batch('synth:sine', nil, { output = 'o.wav', report = 'r.json' })",
                "--allow-write=r.json"
            ),
            ("mk.batch('in', nil, { output = 'o.wav' })", "--allow-read=in"),
            ("mk.player{ container_options = 'a=b', output = '-' }", "set options of a container"),
            ("mk.chain('amovie=/etc/passwd')", "the filter 'amovie'; run it with --allow-read"),
            ("mk.chain(\"am'o'vie=x\")", "the filter 'amovie'"),
            ("mk.chain('am\\\\ovie=x')", "the filter 'amovie'"),
            (
                "mk.chain('volume=1,ametadata=print:file=/tmp/x')",
                "'ametadata'; run it with --allow-w"
            ),
            ("mk.chain('ladspa=file=/tmp/x')", "the filter 'ladspa'; run it with --unsafe"),
            ("mk.chain{ { 'ladspa', file = '/tmp/x' } }", "the filter 'ladspa'"),
            ("mk.probe('synth:amovie=/etc/passwd')", "the filter 'amovie'"),
            (
                "local p = mk.player{ filters = 'volume@movie=1' } "
                    + "p:update_filter('movie', { volume = \"1',amovie='x\" })",
                "the filter 'amovie'"
            ),
            ("mk.chain{ { 'volume', ['volume=1,amovie'] = 'x' } }", "the filter 'amovie'"),
            ("mk.player():add_filter('azmq')", "the filter 'azmq'; run it with --allow-net"),
            ("mk.player{ sink = 'file', output = '-', container = 'tee' }", "the container 'tee'"),
            ("mk.player{ container_options = 'a=b' }", "set options of a container"),
            (
                "local p = mk.player{ clock = 'free' } p:hook('before_open', function(h) "
                    + "h.url = '/etc/passwd' end) p:open('synth:sine')", "--allow-read=/etc/passwd"
            ),
        ])
    func shut(_ text: String, _ message: String) throws {
        let outcome = try ScriptBench().run(text, permissions: ScriptPermissions())
        #expect(outcome.status == 2)
        #expect(outcome.reported.contains(message), "\(outcome.reported)")
        #expect(outcome.reported.contains("the script may not "))
    }

    @Test("a grant reaches what lies below it and nothing beside it")
    func below() throws {
        let bench = try ScriptBench()
        let files = SystemFileSystem()
        for name in ["a", "ab", "a/deep"] { try files.makeFolder(bench.folder.file(name)) }
        try bench.folder.write("a/deep/x.txt", Array("x".utf8))
        try bench.folder.write("ab/y.txt", Array("y".utf8))
        let outcome = bench.run(
            """
            print(mk.read_file("a/deep/x.txt"), mk.read_file("a/../a/deep/./x.txt"))
            for _, path in ipairs{ "ab/y.txt", "a/../ab/y.txt", "a/deep/../../ab/y.txt", "a/..", "." } do
              print(pcall(mk.read_file, path) and "open" or "shut")
            end
            print(mk.file_info("a/nothing"), select(3, mk.read_file("a/nothing")))
            assert(mk.write_file("a/new.txt", "z"))
            print(pcall(mk.write_file, "ab/new.txt", "z"))
            """, permissions: grants(read: ["a"], write: ["a"]))
        #expect(outcome.reported == "")
        #expect(
            outcome.lines.prefix(7) == [
                "x\tx", "shut", "shut", "shut", "shut", "shut", "nil\tnot-found",
            ])
        #expect(outcome.lines.last?.contains("--allow-write=ab/new.txt") == true)
    }

    @Test("links do not lead out of a grant")
    func links() throws {
        let bench = try ScriptBench()
        try SystemFileSystem().makeFolder(bench.folder.file("a"))
        try bench.folder.write("secret.txt", Array("s".utf8))
        let link = bench.run(
            "assert(mk.execute('ln', { '-s', '../secret.txt', '\(bench.folder.file("a/link"))' }))"
                + " assert(mk.execute('ln', { '-s', '/', '\(bench.folder.file("a/out"))' }))")
        #expect(link.status == 0)
        let outcome = bench.run(
            """
            print(pcall(mk.read_file, "a/link"))
            print(pcall(mk.read_file, "a/out/etc/passwd"))
            print(pcall(mk.write_file, "a/out/tmp/x", "x"))
            """, permissions: grants(read: ["a"], write: ["a"]))
        #expect(outcome.lines.count == 3)
        #expect(outcome.lines.allSatisfy { $0.hasPrefix("false\t") })
    }

    @Test("files named as arguments may be read and written, options are no names")
    func arguments() throws {
        let bench = try ScriptBench()
        let outcome = bench.run(
            """
            assert(mk.write_file(arg[1], "x"))
            print(mk.read_file(arg[1]), arg[0], #arg, ...)
            print(mk.args[2], pcall(mk.write_file, "--out", "x"))
            """, arguments: ["made.txt", "--out"], permissions: ScriptPermissions())
        #expect(outcome.reported == "")
        #expect(outcome.line(0) == "x\tscript.lua\t2\tmade.txt\t--out")
        #expect(outcome.line(1).hasPrefix("--out\tfalse"))
    }

    @Test("grants for programs and hosts are by name")
    func names() throws {
        let outcome = try ScriptBench().run(
            """
            print(mk.execute("echo", { "a b", "c" }).output)
            print(pcall(mk.execute, "true"))
            print(select(3, mk.probe("http://127.0.0.1/x")))
            print(pcall(mk.probe, "http://localhost/x"))
            """, permissions: grants(net: ["127.0.0.1"], run: ["echo"]))
        #expect(outcome.lines.first == "a b c")
        #expect(outcome.printed.contains("--allow-run=true"))
        #expect(outcome.printed.contains("--allow-net=localhost"))
        #expect(!outcome.printed.contains("--allow-net=127.0.0.1"))
    }

    @Test("require finds modules beside the script, and nothing outside")
    func modules() throws {
        let bench = try ScriptBench()
        try SystemFileSystem().makeFolder(bench.folder.file("lib"))
        try bench.folder.write("lib/helper.lua", Array("return { name = ... }".utf8))
        try bench.folder.write("outside.lua", Array("return 1".utf8))
        try bench.folder.write("lib/byte.lua", [0x1B] + Array("Lua".utf8))
        let outcome = bench.run(
            """
            print(require("helper").name, require("mediakit") == mk)
            print(select(2, pcall(require, "outside")))
            print(select(2, pcall(require, "..outside")))
            print(select(2, pcall(require, "byte")))
            """, name: "lib/script.lua", permissions: ScriptPermissions())
        #expect(outcome.lines.first == "helper\ttrue")
        #expect(outcome.printed.contains("module 'outside' not found"))
        #expect(outcome.printed.contains("module '..outside' not found"))
        #expect(outcome.printed.contains("attempt to load a binary chunk"))
    }

    @Test("--unsafe opens the whole library and checks nothing")
    func unsafe() throws {
        var permissions = ScriptPermissions()
        permissions.isUnsafe = true
        let bench = try ScriptBench()
        try bench.folder.write("note.txt", Array("n".utf8))
        let outcome = bench.run(
            "print(type(io.open), type(os.getenv), type(debug.getinfo), mk.read_file('note.txt'))",
            permissions: permissions)
        #expect(outcome.printed == "function\tfunction\tfunction\tn\n")
    }
}
