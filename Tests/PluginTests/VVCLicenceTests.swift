// VVC without a licence: the refusal and its reason, from a script.

import MediaCore
import TestSupport
import Testing

@Suite("A1.1, issue 3: VVC without a license")
struct VVCLicenceTests {
    private static let script = """
        mk.license.on_verify(function(feature, valid, message)
          print("heard", feature, valid, message)
        end)
        if arg[2] then
          mk.on_backup_url(function(scene, codec, url)
            print("asked", scene, codec, url == arg[1])
            return arg[2]
          end)
        end
        local player = mk.player{ clock = "free" }
        player:on("error", function(event) print("error", event.code, event.message) end)
        local info, message, code = player:open(arg[1])
        if info then
          player:play()
          print("played", player:wait(60))
        else
          print("open", message, code)
        end
        mk.run()
        """

    @Test("valid=false with the reason; one error, or the backup URL; with the feature it plays")
    func refused() throws {
        let plugin = try Workshop.vvc.get()
        let folder = try TemporaryFolder()
        func mediakit(
            _ arguments: [String], _ environment: [String: String] = [:]
        ) throws -> ChildResult {
            try runMediakit(
                arguments,
                environment: ["XDG_STATE_HOME": folder.file("state")].merging(environment) { $1 },
                folder: folder.path, seconds: 90)
        }
        let key = try mediakit(["license", "keygen", "issuer.pem"]).text.dropLast()
        for name in ["AudioEnhance", "H266Support"] {
            let signed = try mediakit([
                "license", "sign", "--private-key", "issuer.pem", "--customer", "ACME", "--feature",
                name, "--output", "\(name).json",
            ])
            #expect(signed.status == 0, "\(signed)")
        }
        try folder.write("play.lua", Self.script.utf8)
        let sample = VVCTests.samples[0].path
        func play(_ license: String, _ backup: [String] = []) throws -> [String] {
            let result = try mediakit(
                ["run", "--plugin", plugin, "play.lua", sample] + backup,
                ["MEDIAKIT_LICENSE": license, "MEDIAKIT_LICENSE_KEY": String(key)])
            #expect(result.status == 0, "\(result)")
            return result.text.split(separator: "\n").map(String.init)
        }
        let refused = try play("AudioEnhance.json")
        #expect(refused.filter { $0.hasPrefix("heard\tH266Support\tfalse\t") }.count == 1)
        #expect(refused.contains { $0.contains("not-licensed") && $0.contains("H266Support") })
        let film = try MediaRecipe(
            name: "film.mp4", arguments: MediaRecipe.film + ["-c:v", "libx264", "-c:a", "aac"]
        ).make(in: folder)
        for license in ["AudioEnhance.json", "none.json"] {
            let replaced = try play(license, [film])
            #expect(replaced.filter { $0.hasPrefix("heard\tH266Support\tfalse\t") }.count == 1)
            #expect(replaced.contains("asked\tplayer\tvvc\ttrue"))
            #expect(replaced.contains("played\ttrue"))
            #expect(!replaced.contains { $0.hasPrefix("error") })
        }
        let granted = try play("H266Support.json", [film])
        #expect(!granted.contains { $0.hasPrefix("asked") })
        #expect(granted.filter { $0.hasPrefix("heard\tH266Support\ttrue\t") }.count == 1)
        #expect(granted.contains("played\ttrue"))
        #expect(!granted.contains { $0.hasPrefix("error") })
    }
}
