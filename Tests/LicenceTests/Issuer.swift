// An issuer, its licences, and a machine whose clock a test sets.

import MediaCore
import MediaModel
import Synchronization
import TestSupport

@testable import Licence

/// What every licence here is made by and held against.
final class Issuer: Sendable {
    let signer: LicenceSigner
    let folder: TemporaryFolder
    let clock = Mutex(UTCTime("2026-11-30T12:00:00Z") ?? UTCTime(seconds: 0))

    init() throws {
        signer = try LicenceSigner.makeKeyPair()
        folder = try TemporaryFolder()
    }

    var key: LicenceKey { signer.key }
    var stateFile: String { folder.file("state/license-clock") }

    /// A licence of ours, changed by the test.
    static func licence(_ change: (inout Licence) -> Void = { _ in }) throws -> Licence {
        func time(_ text: String) throws -> UTCTime {
            guard let time = UTCTime(text) else { throw MediaError(.badArgument, text) }
            return time
        }
        var licence = Licence(
            id: "n1", customer: "ACME", features: ["AudioEnhance"],
            issued: try time("2026-11-01T00:00:00Z"), expires: try time("2027-11-01T00:00:00Z"))
        change(&licence)
        return licence
    }

    /// Signs and writes a licence; gives its path.
    func write(
        _ name: String = "license.json", _ change: (inout Licence) -> Void = { _ in }
    ) throws -> String {
        let file = try LicenceFile.sign(try Issuer.licence(change), with: signer)
        return try folder.write(name, file.text.utf8)
    }

    func set(_ text: String) {
        clock.withLock { clock in clock = UTCTime(text) ?? clock }
    }

    /// A machine with the test's clock.
    func environment(
        machine: String? = "00112233445566778899aabbccddeeff", domain: String? = "host.example.com",
        files: any FileSystem = SystemFileSystem()
    ) -> LicenceEnvironment {
        LicenceEnvironment(
            now: { [self] in clock.withLock { $0 } }, machine: { machine }, domain: { domain },
            stateFile: stateFile, files: files)
    }

    /// A gate that asks for the licence at a path.
    func gate(
        _ path: String, key: LicenceKey? = nil, environment: LicenceEnvironment? = nil
    ) -> LicenceGate {
        let gate = LicenceGate(
            key: key ?? self.key, environment: environment ?? self.environment())
        gate.enforce(path)
        return gate
    }

    /// The word for how a licence stands here and now.
    func reason(
        _ path: String, key: LicenceKey? = nil, environment: LicenceEnvironment? = nil
    ) -> String {
        gate(path, key: key, environment: environment).status.reason
    }
}

/// What was decided, in order.
final class Verdicts: Sendable {
    private let list = Mutex<[PremiumVerdict]>([])

    func note(_ verdict: PremiumVerdict) { list.withLock { $0.append(verdict) } }

    var all: [PremiumVerdict] { list.withLock { $0 } }
    /// `AudioEnhance licensed`, ….
    var words: [String] { all.map { "\($0.feature.name) \($0.reason)" } }
}
