// Licences from Lua: what is heard, what is refused, what goes on.

import Licence
import MediaCore
import MediaModel
import Scripting
import TestSupport
import Testing

@Suite("A1.1, issue 3 (6): licenses in Lua")
struct LicenseScriptTests {
    private let bench: ScriptBench
    private let signer: LicenceSigner

    init() throws {
        bench = try ScriptBench()
        signer = try LicenceSigner.makeKeyPair()
        for (name, features) in [("audio.json", ["AudioEnhance"]), ("dash.json", ["DashSupport"])] {
            var licence = Licence(
                id: "n1", customer: "ACME", features: features, issued: UTCTime.now + -60)
            licence.expires = UTCTime.now + 3600
            try write(name, licence)
        }
        var old = Licence(id: "n2", customer: "ACME", features: ["AudioEnhance"], issued: .now)
        old.expires = UTCTime.now + -60
        try write("old.json", old)
        try bench.folder.write("issuer.pub", signer.key.pem.utf8)
    }

    private func write(_ name: String, _ licence: Licence) throws {
        try bench.folder.write(name, LicenceFile.sign(licence, with: signer).text.utf8)
    }

    /// Hears of every verdict, and loads a licence.
    private func prelude(_ licence: String?) -> String {
        var text = """
            mk.license.on_verify(function(feature, valid, message, number)
              print("heard", feature, valid, number, message)
            end)

            """
        if let licence {
            text += "print('load', mk.license.load('\(licence)', '\(signer.key.base64)'))\n"
        }
        return text
    }

    private static let sine = "synth:sine=frequency=440:duration=1:sample_rate=48000"

    @Test("an open build grants everything and says so, once for each player and batch, in order")
    func open() throws {
        let outcome = bench.run(
            prelude(nil) + """
                for turn = 1, 2 do
                  local player = assert(mk.player{ clock = "free", filters = "audioEnhance" })
                  assert(player:use("surround,audioEnhance"))
                  assert(player:open("\(Self.sine)"))
                  player:play()
                  assert(player:wait(20))
                  print("played", turn)
                  player:close()
                end
                assert(mk.batch({ "\(Self.sine)" }, "dialogueEnhance", { output = "a.wav" })).text:len()
                print("done")
                """)
        #expect(outcome.reported == "")
        #expect(
            outcome.lines.map { $0.split(separator: "\t").prefix(4).joined(separator: " ") } == [
                "heard AudioEnhance true 1001", "played 1", "heard AudioEnhance true 1001",
                "played 2", "heard AudioEnhance true 1001", "done",
            ])
        #expect(outcome.line(0).contains("no license is asked for"))
    }

    @Test(
        "a refused filter is one clear failure; the sound plays on without it, to the sink",
        arguments: [
            ("dash.json", "missing feature", "does not have this feature"),
            ("old.json", "expired", "expired at"), ("none.json", "unreadable", "no such file"),
        ])
    func refused(_ licence: String, _ name: String, _ part: String) throws {
        let outcome = bench.run(
            prelude(licence) + """
                local player = mk.player{ clock = "free", sink = "wav", output = "a.wav" }
                print("use", player:use("audioEnhance=enable_surround=1"))
                print("add", player:add_filter("surround"))
                assert(player:open("\(Self.sine)"))
                player:play()
                assert(player:wait(20))
                player:close()
                print("player", mk.player{ filters = "dialogueEnhance" })
                print("batch", mk.batch({ "a.wav" }, "audioEnhance", { output = "b.wav" }))
                print("measure", mk.measure("a.wav", { filter = "surround" }))
                print("frames", assert(mk.measure("a.wav")).frames, mk.file_info("b.wav"))
                """)
        #expect(outcome.reported == "")
        let lines = outcome.lines.map { $0.split(separator: "\t").map(String.init) }
        let loaded = try #require(lines.first { $0[0] == "load" })
        #expect(loaded[1] == (licence == "dash.json" ? "true" : "nil"))
        if loaded[1] == "nil" { #expect(loaded[3] == "not-licensed") }
        for word in ["use", "add", "player", "batch", "measure"] {
            let line = try #require(lines.first { $0[0] == word })
            #expect(line[1] == "nil")
            #expect(line[2].contains("AudioEnhance is refused"), "\(line)")
            #expect(line[2].contains(part), "\(line)")
            #expect(line[3] == "not-licensed")
        }
        #expect(lines.last == ["frames", "48000", "nil"])
        // The player, the one that was not made, the batch, and the measurement: once each.
        let heard = lines.filter { $0[0] == "heard" }
        #expect(heard.count == 4)
        for line in heard {
            #expect(line[1...3] == ["AudioEnhance", "false", "1001"])
            #expect(line[4].contains(part))
        }
    }

    @Test("a licence lets the filter change the sound")
    func granted() throws {
        let outcome = bench.run(
            prelude("audio.json") + """
                local noise = "synth:anoisesrc=duration=1:seed=1:r=48000,pan=stereo|FL=c0|FR=-0.5*c0"
                for name, chain in pairs{ dry = "volume=1", wet = "audioEnhance=enable_surround=1" } do
                  local player = mk.player{ clock = "free", sink = "wav", output = name .. ".wav" }
                  assert(player:use(chain))
                  assert(player:open(noise))
                  player:play()
                  assert(player:wait(20))
                  player:close()
                end
                local status = mk.license.status()
                print(status.enforced, status.valid, status.reason, status.customer, status.id)
                for _, feature in ipairs(status.features) do
                  if feature.valid then print(feature.name, feature.number, feature.reason) end
                end
                """)
        #expect(outcome.reported == "")
        #expect(outcome.lines.first == "load\ttrue")
        #expect(outcome.lines.filter { $0.hasPrefix("heard\tAudioEnhance\ttrue\t1001") }.count == 1)
        #expect(
            outcome.lines.suffix(2) == [
                "true\ttrue\tlicensed\tACME\tn1", "AudioEnhance\t1001\tlicensed",
            ])
        let (dry, wet) = try (bench.folder.read("dry.wav"), bench.folder.read("wet.wav"))
        #expect(dry.count == wet.count)
        #expect(dry != wet)
    }

    @Test(
        "on_verify comes before the first player, batch or measurement, or raises",
        arguments: [
            "mk.player()", "mk.batch({ '\(sine)' }, 'volume=1', { output = 'x.wav' })",
            "mk.measure('\(sine)')",
        ])
    func late(_ call: String) throws {
        let late = bench.run("\(call)\nmk.license.on_verify(function() end)")
        #expect(late.status == 2)
        #expect(late.reported.hasPrefix("script.lua:2: on_verify: the listener"))
        #expect(late.reported.contains("before the first player"))
        let early = bench.run(
            """
            mk.probe("\(Self.sine)")
            mk.license.on_verify(function() end)
            mk.license.on_verify(function() print("second") end)
            local player = mk.player{ filters = "surround" }
            mk.run()
            """)
        #expect(early.reported == "")
        #expect(early.lines == ["second"])
    }

    @Test("an error in the callback is the script's, with file and line")
    func failingCallback() throws {
        let outcome = bench.run(
            """
            mk.license.on_verify(function(feature)
              error("no " .. feature)
            end)
            local player = mk.player{ filters = "surround" }
            mk.run()
            """)
        #expect(outcome.status == 2)
        #expect(outcome.reported.hasPrefix("script.lua:2: no AudioEnhance"))
    }

    @Test("load: keys of every kind, permissions, wrong arguments")
    func loads() throws {
        let outcome = bench.run(
            """
            print(pcall(mk.license.load, "audio.json", "no key"))
            print(mk.license.status().enforced)
            print(mk.license.load("audio.json"))
            print(mk.license.load("audio.json", "issuer.pub"))
            print(pcall(mk.license.load, "audio.json", ("A"):rep(43) .. "="))
            print(mk.license.load("audio.json", mk.read_file("issuer.pub")))
            print(mk.license.load("old.json"))
            print(mk.license.status().reason)
            """)
        #expect(outcome.reported == "")
        let lines = outcome.lines
        try #require(lines.count == 8)
        #expect(lines[0].hasPrefix("false\t"))
        #expect(lines[0].contains("neither an Ed25519 public key"))
        #expect(lines[1] == "false")
        #expect(lines[2].hasPrefix("nil\t") && lines[2].hasSuffix("\tnot-licensed"))
        #expect(lines[3] == "true")
        #expect(lines[4].hasPrefix("false\t") && lines[4].contains("a license key of its own"))
        #expect(lines[5] == "true")
        #expect(lines[6].hasSuffix("\tnot-licensed"))
        #expect(lines[7] == "expired")
        for call in ["'audio.json'", "'audio.json', 'issuer.pub'"] {
            var permissions = ScriptPermissions()
            if call.contains("pub") { permissions.read = .some(["audio.json"]) }
            let refused = bench.run("mk.license.load(\(call))", permissions: permissions)
            #expect(refused.status == 2)
            #expect(refused.reported.contains("--allow-read="), "\(refused.reported)")
        }
    }

    @Test("a program without licences says so")
    func noGate() throws {
        let output = Monitor("")
        let runner = ScriptRunner(
            registry: try PluginRegistry([]),
            configuration: {
                var configuration = ScriptConfiguration()
                configuration.permissions.read = .all
                return configuration
            }(),
            output: { text in
                output.withLock { $0 += String(decoding: text, as: UTF8.self) }
                return true
            })
        let script = """
            print(mk.license.load("x"))
            local status = mk.license.status()
            print(status.enforced, status.valid, status.reason, #status.features)
            """
        #expect(runner.run(text: Array(script.utf8), name: "-") == 0)
        #expect(
            output.withLock { $0 }
                == "nil\tthis program asks for no licenses\tinvalid-state\nfalse\ttrue\topen\t8\n")
    }
}
