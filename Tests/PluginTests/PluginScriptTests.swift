// Plugins in the hands of a script, through the program itself.

import MediaCore
import MediaModel
import Plugins
import TestSupport
import Testing

@Suite("A2.15, issue 3: plugins from Lua")
struct PluginScriptTests {
    private func script(
        _ text: String, _ options: [String] = [], environment: [String: String] = [:],
        in folder: TemporaryFolder
    ) throws -> ChildResult {
        let path = try folder.write("script.lua", text.utf8)
        return try runMediakit(
            ["run"] + options + [path], environment: environment, folder: folder.path)
    }

    private func duet(_ name: String, rank: Int, in folder: TemporaryFolder) throws -> String {
        try Workshop.plugin(
            name, in: folder, parts: Workshop.idleDecoder(name, codec: "duet", rank: rank),
            members: Workshop.decoderMembers)
    }

    @Test("load, list, rank, switch, set options, unload")
    func course() throws {
        let folder = try TemporaryFolder()
        let paths = [
            try duet("one", rank: 1, in: folder), try duet("two", rank: 2, in: folder),
        ]
        let result = try script(
            """
            local function show()
              for _, plugin in ipairs(mk.plugins.list()) do
                if plugin.file then
                  print(plugin.kind, plugin.name, plugin.rank, plugin.enabled, plugin.file)
                end
              end
            end
            local file = mk.plugins.load("one.so")
            print(file.name, file.version, file.license, file.path)
            mk.plugins.load("two.so")
            mk.plugins.load("two.so")
            mk.plugins.rank("decoder", "one", 7)
            mk.plugins.enable("decoder", "two", false)
            show()
            for _, option in ipairs(mk.plugins.describe("decoder", "one")) do
              print(option.name, option.values, option.default)
            end
            mk.plugins.set_options("decoder", "one", { effort = 9 })
            print(pcall(mk.plugins.set_options, "decoder", "one", { effort = 10 }))
            print(pcall(mk.plugins.rank, "decoder", "on", 1))
            print(#mk.plugins.files(), mk.plugins.unload("two"), mk.plugins.unload("one.so"))
            show()
            """, ["--allow-plugins=."], in: folder)
        #expect(result.status == 0, "\(result)")
        let lines = result.text.split(separator: "\n")
        #expect(
            lines == [
                "one\t1\t0BSD\t\(paths[0])", "decoder\tone\t7\ttrue\t\(paths[0])",
                "decoder\ttwo\t2\tfalse\t\(paths[1])", "effort\t1…9\t3",
                "false\tdecoder one: option 'effort': '10' is not 1…9",
                "false\tno decoder plugin 'on'; did you mean 'one'?", "2\tdone\tdone",
            ])
    }

    @Test("loading is a grant of its own; what a user names or keeps in a plugin folder is allowed")
    func grants() throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        let path = try duet("one", rank: 1, in: folder)
        let text = "print(mk.plugins.load('\(path)').name) print(mk.plugins.unload('one'))"
        func run(_ options: [String], _ environment: [String: String] = [:]) throws -> ChildResult {
            try script(text, options, environment: environment, in: other)
        }
        for options in [
            [], ["--allow-read", "--allow-write", "--allow-run"],
            ["--allow-plugins=\(other.path)"],
        ] {
            let refused = try run(options)
            #expect(refused.status == 2)
            #expect(refused.errorText.contains("run it with --allow-plugins=\(path)"))
        }
        for options in [
            ["--allow-plugins"], ["--allow-plugins=\(path)"], ["--allow-plugins=\(folder.path)"],
            ["--plugin", path], ["--unsafe"],
        ] {
            let allowed = try run(options)
            #expect(allowed.text == "one\ndone\n", "\(options): \(allowed)")
        }
        #expect(try run([], ["MEDIAKIT_PLUGIN_PATH": folder.path]).text == "one\ndone\n")
    }

    @Test("a bad file gives nil, a message and a code, and the script goes on")
    func bad() throws {
        let folder = try TemporaryFolder()
        try folder.write("bad.so", "no plugin".utf8)
        let result = try script(
            """
            print(mk.plugins.load("bad.so"))
            print(select(3, mk.plugins.load("none.so")))
            """, ["--allow-plugins"], in: folder)
        #expect(result.status == 0, "\(result)")
        #expect(result.text.contains("not an ELF file)\tplugin-unusable\nnot-found\n"))
    }

    @Test("what plays goes on while its plugin is switched off, ranked down and unloaded")
    func inUse() throws {
        let folder = try TemporaryFolder()
        _ = try Workshop.example("toy", in: folder)
        let seconds = 2
        var bytes = Array("TOY1".utf8) + [0x44, 0xAC, 0, 0, 1]
        for _ in 0..<seconds * 441 {
            bytes += [100, 0] + [UInt8](repeating: 1, count: 200)
        }
        try folder.write("a.toy", bytes)
        let result = try script(
            """
            mk.plugins.load("toy.so")
            local player = mk.player{ sink = "null" }
            local info = assert(player:open("a.toy"))
            print(info.container, info.streams[1].decoder.name, info.streams[1].decoder.reason)
            print(player:tracks()[1].decoder.file:match("[^/]+$"))
            print(player:info().streams[1].decoder.device)
            player:play()
            mk.wait(0.3)
            mk.plugins.enable("decoder", "toy", false)
            mk.plugins.enable_codec("toy", false)
            print(mk.plugins.unload("toy"))
            assert(player:wait(20))
            print(player:position())
            player:close()
            print(select(3, mk.player{ sink = "null" }:open("a.toy")))
            """, ["--allow-plugins", "--allow-read"], in: folder)
        #expect(result.status == 0, "\(result)")
        let lines = result.text.split(separator: "\n")
        #expect(
            lines.prefix(4) == [
                "toy\ttoy\tthe only decoder for it", "toy.so", "nil", "deferred",
            ])
        #expect(lines.dropFirst(4).first?.hasPrefix("2.0") == true, "\(result.text)")
    }

    @Test("a filter that plays is changed by its own options, though its file was unloaded")
    func changedBehindUnloading() throws {
        let folder = try TemporaryFolder()
        let path = try Workshop.example("tremolo", in: folder)
        let result = try script(
            """
            local p = mk.player{ clock = "realtime", filters = "tremolo-c@t=depth=0.2" }
            assert(p:open("synth:sine=duration=3"))
            p:play()
            mk.wait(0.3)
            print(mk.plugins.unload("tremolo-c"))
            print(pcall(p.update_filter, p, "t", { depth = 0.9 }))
            print(pcall(p.update_filter, p, "t", { depth = 9 }))
            local warned = false
            p:on("warning", function() warned = true end)
            mk.wait(0.3)
            print(p:get("filters")[1].text, warned)
            p:close()
            """, ["--plugin", path], in: folder)
        let lines = result.text.split(separator: "\n")
        #expect(result.status == 0, "\(result)")
        #expect(lines.first == "deferred")
        #expect(lines.count == 4 && lines[1].hasPrefix("true"), "\(result.text)")
        #expect(lines.count == 4 && lines[2].contains("'9' is not 0…1"), "\(result.text)")
        #expect(lines.last?.contains("depth=0.9") == true, "\(result.text)")
        #expect(lines.last?.hasSuffix("\tfalse") == true, "\(result.text)")
    }
}
