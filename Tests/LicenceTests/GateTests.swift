// Where and when a licence holds, and how a gate stands.

import MediaCore
import MediaModel
import TestSupport
import Testing

@testable import Licence

@Suite("A1.1, issue 3 (6): where and when a licence holds")
struct GateTests {
    private let issuer: Issuer

    init() throws { issuer = try Issuer() }

    @Test("without a licence everything is granted, and said to be so")
    func open() throws {
        for feature in PremiumFeature.allCases {
            let verdict = LicenceGate(environment: issuer.environment()).verdict(on: feature)
            #expect(verdict.isValid)
            #expect(verdict.reason == "open")
            #expect(verdict.message.contains(feature.name))
            #expect(verdict == OpenGate().verdict(on: feature))
        }
    }

    @Test("names and numbers are the player's")
    func numbers() {
        let known: [(String, Int)] = [
            ("MediaLoader", 1), ("PreRenderOption", 102), ("PremiumAbrStrategy", 103),
            ("H265Adaptive", 104), ("DashSupport", 105), ("EXTSubtitle", 108), ("H266Support", 109),
        ]
        for (name, number) in known {
            #expect(PremiumFeature(name: name)?.rawValue == number)
        }
        let ours = PremiumFeature.allCases.filter { $0.rawValue >= 1000 }
        #expect(ours == [.audioEnhance])
        #expect(PremiumFeature.allCases.count == known.count + ours.count)
    }

    @Test("what it names is granted, what it does not name is refused")
    func features() throws {
        let gate = issuer.gate(try issuer.write { $0.features = ["AudioEnhance", "Future"] })
        let granted = gate.verdict(on: .audioEnhance)
        #expect(granted.isValid)
        #expect(granted.reason == "licensed")
        #expect(granted.message.contains("ACME"))
        let refused = gate.verdict(on: .h266Support)
        #expect(!refused.isValid)
        #expect(refused.reason == "missing-feature")
        #expect(refused.message.contains("H266Support"))
        #expect(refused.message.contains("ask the issuer"))
    }

    @Test("the two ends of its time, to the second")
    func times() throws {
        let path = try issuer.write { $0.notBefore = UTCTime("2026-12-01T00:00:00Z") }
        let gate = issuer.gate(path)
        for (time, reason) in [
            ("2026-11-30T23:59:59Z", "not-yet-valid"), ("2026-12-01T00:00:00Z", "licensed"),
            ("2027-10-31T23:59:59Z", "licensed"), ("2027-11-01T00:00:00Z", "expired"),
        ] {
            issuer.set(time)
            #expect(gate.status.reason == reason, "\(time)")
            #expect(gate.verdict(on: .audioEnhance).isValid == (reason == "licensed"))
        }
        #expect(gate.status.message.contains("expired at 2027-11-01T00:00:00Z"))
        #expect(gate.status.licence?.customer == "ACME")
    }

    @Test("a clock set back is noticed, by what was seen and by the time of issue")
    func clock() throws {
        let path = try issuer.write()
        issuer.set("2027-10-20T00:00:00Z")
        #expect(issuer.reason(path) == "licensed")
        #expect(
            try readFile(issuer.stateFile) == Array("2027-10-20T00:00:00Z\n".utf8))
        // A day is forgiven: another system may have set the hardware's clock to local time.
        issuer.set("2027-10-19T01:00:00Z")
        #expect(issuer.reason(path) == "licensed")
        issuer.set("2027-10-18T23:00:00Z")
        #expect(issuer.reason(path) == "clock-set-back")
        let message = issuer.gate(path).status.message
        #expect(message.contains("2027-10-20T00:00:00Z was seen before"))
        #expect(message.contains("set the clock of this machine right"))
        // Time goes on: what was refused is granted again.
        issuer.set("2027-10-20T00:00:01Z")
        #expect(issuer.reason(path) == "licensed")
        try SystemFileSystem().remove(issuer.stateFile)
        issuer.set("2026-10-30T00:00:00Z")
        #expect(issuer.reason(path) == "clock-set-back")
        #expect(try SystemFileSystem().facts(of: issuer.stateFile) == nil)
        // One that never ends does not depend on the clock.
        let endless = try issuer.write("endless.json") { $0.expires = nil }
        #expect(issuer.reason(endless) == "licensed")
        #expect(try SystemFileSystem().facts(of: issuer.stateFile) == nil)
    }

    @Test("an expired licence does not come back by a clock set back")
    func clockAfterExpiry() throws {
        let path = try issuer.write()
        issuer.set("2027-12-01T00:00:00Z")
        #expect(issuer.reason(path) == "expired")
        issuer.set("2027-06-01T00:00:00Z")
        #expect(issuer.reason(path) == "clock-set-back")
    }

    @Test("the memory of the clock is never needed: damaged, forbidden, in the way")
    func clockMemory() throws {
        let path = try issuer.write()
        for text in ["", "nonsense", "9999", String(repeating: "9", count: 5000)] {
            _ = issuer.gate(path).status
            try issuer.folder.write("state/license-clock", text.utf8)
            #expect(issuer.reason(path) == "licensed")
            #expect(try readFile(issuer.stateFile).count == 21)
        }
        var environment = issuer.environment()
        environment.stateFile = "/proc/no/license-clock"
        #expect(issuer.reason(path, environment: environment) == "licensed")
        environment.stateFile = issuer.folder.path
        #expect(issuer.reason(path, environment: environment) == "licensed")
        environment.stateFile = nil
        #expect(issuer.reason(path, environment: environment) == "licensed")
        try SystemFileSystem().remove(issuer.stateFile)
        // Every file operation fails once: only the licence itself may not.
        let calls = FaultyFileSystem()
        #expect(
            issuer.reason(path, environment: issuer.environment(files: calls)) == "licensed")
        #expect(calls.callCount > 8)
        for number in 1...calls.callCount {
            try SystemFileSystem().remove(issuer.stateFile)
            for fault in FileFault.allCases {
                let faulty = FaultyFileSystem(failingCall: number, fault)
                let reason = issuer.reason(path, environment: issuer.environment(files: faulty))
                #expect(["licensed", "unreadable"].contains(reason), "\(faulty.failedCall ?? "")")
                if faulty.failedCall?.hasSuffix("license.json") != true {
                    #expect(reason == "licensed", "\(faulty.failedCall ?? "")")
                }
            }
        }
    }

    @Test("machines and domains it is bound to")
    func bindings() throws {
        let machine = "00112233445566778899aabbccddeeff"
        let bound = try issuer.write("machine.json") { $0.machines = ["ff", machine.uppercased()] }
        #expect(issuer.reason(bound) == "licensed")
        for other in ["0", "", nil] {
            let environment = issuer.environment(machine: other)
            #expect(issuer.reason(bound, environment: environment) == "wrong-machine")
        }
        let domain = try issuer.write("domain.json") { $0.domains = ["Example.com."] }
        for (name, reason) in [
            ("example.com", "licensed"), ("a.b.EXAMPLE.com.", "licensed"),
            ("notexample.com", "wrong-domain"), ("example.org", "wrong-domain"),
            ("com", "wrong-domain"), ("", "wrong-domain"), (nil, "wrong-domain"),
        ] {
            let environment = issuer.environment(domain: name)
            #expect(issuer.reason(domain, environment: environment) == reason, "\(name ?? "nil")")
        }
        let nowhere = try issuer.write("nowhere.json") { $0.domains = ["."] }
        #expect(issuer.reason(nowhere) == "wrong-domain")
        let both = try issuer.write("both.json") {
            $0.machines = [machine]
            $0.domains = ["example.org"]
        }
        #expect(issuer.reason(both) == "wrong-domain")
    }

    @Test("the id of this machine is the documented one")
    func machine() throws {
        let folder = try TemporaryFolder()
        let script =
            "printf 'mediakit-machine-id\\n%s' \"$(cat /etc/machine-id)\" | sha256sum | cut -c1-32"
        let made = try run("sh", ["-c", script], folder: folder.path).text
        let isThere = try SystemFileSystem().facts(of: "/etc/machine-id") != nil
        let ours = LicenceEnvironment.machineID(SystemFileSystem())
        if isThere { #expect(ours == made.split(separator: "\n").first.map(String.init)) }
        #expect(LicenceEnvironment.machineID(FaultyFileSystem(failingCall: 1, .deadDisk)) == nil)
    }

    @Test("files that can't be read")
    func unreadable() throws {
        #expect(issuer.reason(issuer.folder.file("missing.json")) == "unreadable")
        #expect(issuer.reason(issuer.folder.path) == "unreadable")
        let pipe = issuer.folder.file("pipe")
        #expect(try run("mkfifo", [pipe]).status == 0)
        #expect(issuer.reason(pipe) == "unreadable")
        let status = issuer.gate(issuer.folder.file("missing.json")).status
        #expect(status.message.contains("no such file"))
        #expect(status.licence == nil)
    }

    @Test("keys: none, none that is one, a file, and a fixed one")
    func keys() throws {
        let path = try issuer.write()
        let other = try LicenceSigner.makeKeyPair()
        let gate = LicenceGate(environment: issuer.environment())
        gate.enforce(path)
        #expect(gate.status.reason == "no-key")
        #expect(gate.status.message.contains("--license-key"))
        gate.fix(key: issuer.key.base64)
        #expect(gate.status.reason == "licensed")
        gate.fix(key: other.key.base64)
        #expect(gate.status.reason == "licensed")
        #expect(code { try gate.load(path, key: other.key.base64) } == .badArgument)
        #expect(gate.status.reason == "licensed")
        #expect(code { try gate.load(path, key: issuer.key.pem) } == nil)

        let wrong = LicenceGate(environment: issuer.environment())
        wrong.fix(key: "nonsense")
        wrong.enforce(path)
        #expect(wrong.status.reason == "no-key")

        let file = try issuer.folder.write("issuer.pub", issuer.key.pem.utf8)
        let byFile = LicenceGate(environment: issuer.environment())
        #expect(code { try byFile.load(path, key: "nonsense") } == .badArgument)
        #expect(!byFile.status.isEnforced)
        #expect(code { try byFile.load(path, key: file) } == nil)
        #expect(byFile.status.isEnforced)
    }

    @Test("what was loaded last counts, and nothing opens the gate again")
    func loads() throws {
        let good = try issuer.write()
        let old = try issuer.write("old.json") { $0.expires = UTCTime("2026-11-02T00:00:00Z") }
        let gate = LicenceGate(key: issuer.key, environment: issuer.environment())
        #expect(gate.verdict(on: .h266Support).isValid)
        #expect(code { try gate.load(old) } == .notLicensed)
        #expect(gate.verdict(on: .audioEnhance).reason == "expired")
        #expect(code { try gate.load(good) } == nil)
        #expect(gate.verdict(on: .audioEnhance).reason == "licensed")
        #expect(gate.verdict(on: .h266Support).reason == "missing-feature")
        #expect(code { try gate.load(issuer.folder.file("none.json")) } == .notLicensed)
        #expect(gate.verdict(on: .audioEnhance).reason == "unreadable")
    }

    @Test("every reason has a word, a sentence and advice")
    func problems() {
        for problem in LicenceProblem.allCases {
            #expect(problem.meaning.hasSuffix("."))
            #expect(!problem.advice.isEmpty)
            #expect(LicenceRefusal(problem, "x").message == "x; \(problem.advice)")
        }
        #expect(MediaError.Code.notLicensed.exitStatus == 5)
    }

    @Test("docs/licence.md has every reason, every feature and its number")
    func document() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let page = String(decoding: try readFile("/\(root)/docs/licence.md"), as: UTF8.self)
        for word in LicenceProblem.allCases.map(\.rawValue) + ["open", "licensed"] {
            #expect(page.contains("`\(word)`"), "\(word)")
        }
        for feature in PremiumFeature.allCases {
            #expect(page.contains("| `\(feature.name)` | \(feature.rawValue) |"))
        }
    }

    private func code(_ body: () throws -> Void) -> MediaError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? MediaError)?.code ?? .internalError
        }
    }
}
