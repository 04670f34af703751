// `mediakit license` as issuer and customer use it, and licences of other verbs.

import MediaCore
import TestSupport
import Testing

@Suite("A1.1, issue 3 (6): mediakit license") struct LicenseTests {
    private let folder: TemporaryFolder
    private let key: String

    init() throws {
        folder = try TemporaryFolder()
        let made = try Self.run(["license", "keygen", "issuer.pem"], folder)
        #expect(made.status == 0, "\(made)")
        key = String(made.text.dropLast())
    }

    /// Runs in the folder, which also keeps what is remembered of the clock.
    private static func run(
        _ arguments: [String], _ folder: TemporaryFolder, _ environment: [String: String] = [:]
    ) throws -> ChildResult {
        let own = ["XDG_STATE_HOME": folder.file("state")]
        return try runMediakit(
            arguments, environment: own.merging(environment) { $1 }, folder: folder.path,
            seconds: 30)
    }

    private func run(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) throws -> ChildResult {
        try Self.run(arguments, folder, environment)
    }

    @discardableResult
    private func sign(_ arguments: [String], to output: String = "license.json") throws
        -> ChildResult
    {
        try run(
            ["license", "sign", "--private-key", "issuer.pem", "--output", output] + arguments)
    }

    private func mode(_ name: String) throws -> UInt32 {
        try SystemFileSystem().facts(of: folder.file(name))?.mode ?? 0
    }

    @Test("private keys are their owner's alone, and nothing is replaced unasked")
    func keys() throws {
        #expect(try mode("issuer.pem") == 0o600)
        #expect(try mode("issuer.pem.pub") & 0o044 != 0)
        let before = try folder.read("issuer.pem")
        for arguments in [["issuer.pem"], ["other.pem", "issuer.pem.pub"]] {
            let again = try run(["license", "keygen"] + arguments)
            #expect(again.status == 2)
            #expect(again.errorText.contains("is there"))
        }
        #expect(try run(["license", "keygen", "same", "same", "--force"]).status == 2)
        #expect(try folder.read("issuer.pem") == before)
        #expect(try folder.names() == ["issuer.pem", "issuer.pem.pub"])
        let forced = try run(["license", "keygen", "issuer.pem", "--force", "--json"])
        #expect(forced.status == 0)
        #expect(try folder.read("issuer.pem") != before)
        #expect(try mode("issuer.pem") == 0o600)
        let json = try JSON(parsing: forced.output)
        #expect(json["public_key"]?.text?.utf8.count == 44)
        #expect(try folder.names() == ["issuer.pem", "issuer.pem.pub"])
    }

    @Test("sign, verify and show, with keys of every kind")
    func rounds() throws {
        let signed = try sign([
            "--customer", "ACME & söhne", "--feature", "AudioEnhance,H266Support", "--feature",
            "DashSupport", "--expires", "2099-12-31",
        ])
        #expect(signed.status == 0, "\(signed)")
        let pem = String(decoding: try folder.read("issuer.pem.pub"), as: UTF8.self)
        for key in [key, "issuer.pem.pub", pem] {
            let verified = try run(["license", "verify", "license.json", "--license-key", key])
            #expect(verified.status == 0, "\(verified)")
            #expect(verified.text.contains("ACME & söhne"))
            #expect(verified.text.contains("2099-12-31T00:00:00Z"))
        }
        let json = try run(
            ["license", "verify", "license.json", "--json"], ["MEDIAKIT_LICENSE_KEY": key])
        #expect(json.status == 0)
        let facts = try JSON(parsing: json.output)
        #expect(facts["schema"]?.text == "mediakit.license/1")
        #expect(facts["valid"] == .bool(true))
        #expect(facts["license"]?["features"]?.elements?.count == 3)
        let shown = try run(["license", "show", "license.json"])
        #expect(shown.status == 0)
        #expect(shown.text.contains("signature not checked"))
        let checked = try run(["license", "show", "license.json", "--license-key", key, "--json"])
        #expect(try JSON(parsing: checked.output)["reason"]?.text == "licensed")
        let again = try sign(["--customer", "x", "--feature", "DashSupport"])
        #expect(again.status == 2)
        #expect(try run(["license", "verify", "license.json", "--license-key", key]).status == 0)
        #expect(try sign(["--customer", "x", "--feature", "DashSupport", "--force"]).status == 0)
    }

    @Test("a payload from a file, with options over it, on standard output")
    func payload() throws {
        try folder.write(
            "payload.json",
            #"{"id":"7","customer":"A","features":["DashSupport"],"issued":"2026-01-01T00:00:00Z"}"#
                .utf8)
        let signed = try run([
            "license", "sign", "payload.json", "--private-key", "issuer.pem", "--customer", "B",
            "--domain", "example.com,example.org", "--not-before", "2026-02-01",
        ])
        #expect(signed.status == 0, "\(signed)")
        try folder.write("license.json", signed.output)
        let shown = try run(["license", "show", "license.json", "--json"])
        let license = try JSON(parsing: shown.output)["license"]
        #expect(license?["id"]?.text == "7")
        #expect(license?["customer"]?.text == "B")
        #expect(license?["not_before"]?.text == "2026-02-01T00:00:00Z")
        #expect(license?["domains"]?.elements?.count == 2)
    }

    @Test(
        "licences that make no sense are not issued",
        arguments: [
            ([], "--customer NAME"), (["--customer", "A"], "features"),
            (["--customer", "A", "--feature", ""], "grants nothing"),
            (["--customer", "A", "--feature", "x", "--expires", "tomorrow"], "no time"),
            (
                [
                    "--customer", "A", "--feature", "x", "--not-before", "2027-01-01", "--expires",
                    "2026-01-01",
                ], "before it begins"
            ),
            (["missing.json"], "no such file"), (["issuer.pem"], "json line 1"),
        ] as [([String], String)])
    func refusals(_ arguments: [String], _ part: String) throws {
        let result = try sign(arguments)
        #expect([2, 3].contains(result.status), "\(result)")
        #expect(result.errorText.contains(part), "\(result)")
        #expect(try !folder.names().contains("license.json"))
    }

    @Test("every way in which a licence does not hold has exit status 5, its word, and advice")
    func problems() throws {
        let base = ["--customer", "A", "--feature", "AudioEnhance"]
        let other = try run(["license", "keygen", "other.pem"]).text.dropLast()
        func check(_ word: String, key: String? = nil, _ name: String = "license.json") throws {
            let result = try run(
                ["license", "verify", name, "--license-key", key ?? self.key])
            #expect(result.status == 5, "\(word): \(result)")
            #expect(result.errorText.hasSuffix("(\(word))\n"), "\(result)")
            #expect(result.errorText.split(separator: "\n").count == 1)
        }
        for (word, options) in [
            ("expired", ["--issued", "2020-01-01", "--expires", "2021-01-01"]),
            ("not-yet-valid", ["--not-before", "2098-01-01", "--expires", "2099-01-01"]),
            ("clock-set-back", ["--issued", "2098-01-01", "--expires", "2099-01-01"]),
            ("wrong-machine", ["--machine", "00112233445566778899aabbccddeeff"]),
            ("wrong-domain", ["--domain", "no-such-domain.example"]),
        ] {
            #expect(try sign(base + options + ["--force"]).status == 0)
            try check(word)
        }
        #expect(try sign(base + ["--force"]).status == 0)
        try check("wrong-key", key: String(other))
        try check("no-key", key: "nonsense")
        var text = String(decoding: try folder.read("license.json"), as: UTF8.self)
        try folder.write("bad.json", Array(text.utf8.dropLast(20)))
        try check("malformed", "bad.json")
        text = text.replacing("\"mediakit_license\": 1", with: "\"mediakit_license\": 9")
        try folder.write("new.json", text.utf8)
        try check("unsupported-version", "new.json")
        let bytes = try folder.read("license.json")
        let place = try #require(bytes.indices.last { bytes[$0] == UInt8(ascii: "=") })
        var changed = bytes
        changed[place - 10] = changed[place - 10] == 65 ? 66 : 65
        try folder.write("tampered.json", changed)
        try check("tampered", "tampered.json")
        let missing = try run(["license", "verify", "none.json", "--license-key", key])
        #expect(missing.status == 3)
        let noKey = try run(["license", "verify", "license.json"])
        #expect(noKey.status == 5)
        #expect(noKey.errorText.contains("--license-key"))
    }

    @Test("the id of the machine binds")
    func machine() throws {
        let facts = try JSON(parsing: run(["license", "machine", "--json"]).output)
        guard let machine = facts["machine"]?.text else {
            #expect(try run(["license", "machine"]).status == 3)
            return
        }
        #expect(machine.utf8.count == 32)
        #expect(try run(["license", "machine"]).text == machine + "\n")
        try sign(["--customer", "A", "--feature", "AudioEnhance", "--machine", machine])
        #expect(try run(["license", "verify", "license.json", "--license-key", key]).status == 0)
    }

    @Test("a licence named by option or environment is asked for; nothing else breaks")
    func enforcement() throws {
        try sign(["--customer", "A", "--feature", "DashSupport"], to: "dash.json")
        try sign(["--customer", "A", "--feature", "AudioEnhance"], to: "audio.json")
        let play = ["play", "synth:sine=duration=1", "--clock", "free", "--filter"]
        func named(_ path: String) -> [String: String] {
            ["MEDIAKIT_LICENSE": path, "MEDIAKIT_LICENSE_KEY": key]
        }
        #expect(try run(play + ["audioEnhance"]).status == 0)
        #expect(try run(play + ["audioEnhance"], named("audio.json")).status == 0)
        for path in ["dash.json", "none.json"] {
            let refused = try run(play + ["audioEnhance"], named(path))
            #expect(refused.status == 5, "\(refused)")
            #expect(refused.errorText.contains("AudioEnhance is refused"))
            #expect(try run(play + ["volume=-3dB"], named(path)).status == 0)
            #expect(try run(["plugins"], named(path)).errors.isEmpty)
        }
        let options = ["--license", "audio.json", "--license-key", "issuer.pem.pub"]
        #expect(try run(play + ["surround"] + options, named("dash.json")).status == 0)
        let batch = [
            "batch", "synth:sine=duration=1", "--output", "out/{stem}.wav", "--filter", "surround",
        ]
        #expect(try run(batch, named("dash.json")).status == 5)
        #expect(try !folder.names().contains("out"))
        try folder.write(
            "script.lua",
            """
            mk.license.on_verify(print)
            print(mk.player{ filters = "surround" })
            mk.run()
            """.utf8)
        let script = try run(["run", "script.lua"], named("dash.json"))
        #expect(script.status == 0, "\(script)")
        #expect(script.text.contains("AudioEnhance\tfalse\t"))
        #expect(script.text.contains("not-licensed"))
    }

    @Test(
        "mistakes are named",
        arguments: [
            (["license"], "is missing"), (["license", "verfy", "x"], "did you mean 'verify'?"),
            (["license", "verify"], "a file is missing"),
            (["license", "machine", "x"], "one argument too many"),
            (["license", "sign"], "--private-key"),
            (["license", "sign", "--private-key", "issuer.pem.pub"], "Ed25519 private key"),
        ])
    func mistakes(_ arguments: [String], _ part: String) throws {
        let result = try run(arguments)
        #expect(result.status == 2)
        #expect(result.errorText.contains(part), "\(result)")
    }
}
