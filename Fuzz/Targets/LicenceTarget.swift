// Licences: nothing verifies that was not signed, and what is signed reads the same again.

internal import Licence
internal import MediaCore

let licenceTarget = FuzzTarget(name: "licence") { bytes in
    let bytes = Array(bytes)
    LicenceTarget.readKey(bytes)
    LicenceTarget.readFile(bytes)
    LicenceTarget.signContents(bytes)
}

private enum LicenceTarget {
    static let signer = try? LicenceSigner.makeKeyPair()

    static func readKey(_ bytes: [UInt8]) {
        if let key = try? LicenceKey(String(decoding: bytes, as: UTF8.self)) {
            precondition((try? LicenceKey(key.base64)) == key)
        }
        if let signer = try? LicenceSigner(pem: bytes) {
            precondition((try? LicenceSigner(pem: signer.pem))?.key == signer.key)
        }
    }

    /// A file that this run's key has not signed, whatever it says.
    static func readFile(_ bytes: [UInt8]) {
        guard let signer, case .success(let file) = LicenceFile.parse(bytes) else { return }
        if case .success = file.verify(signer.key) {
            preconditionFailure("a licence verifies that nobody has signed")
        }
        if case .success(let licence) = file.contents() { sign(licence) }
    }

    static func signContents(_ bytes: [UInt8]) {
        guard let json = try? JSON(parsing: bytes), case .success(let licence) = Licence.read(json)
        else { return }
        sign(licence)
    }

    private static func sign(_ licence: Licence) {
        guard let signer, let text = try? LicenceFile.sign(licence, with: signer).text,
            case .success(let file) = LicenceFile.parse(Array(text.utf8)),
            case .success(let again) = file.verify(signer.key)
        else { preconditionFailure("a signed licence does not verify") }
        precondition(again == licence, "signed and read again, it is another licence")
    }
}
