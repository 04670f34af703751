// A licence as a file: the signed text, the signature, and the name of the key.

public import MediaCore

/// A licence with its signature.
///
/// The file is one JSON object of four members: `mediakit_license` (the version, 1), `key` (the id
/// of the key), `payload` (the contents as JSON, in Base64) and `signature` (Ed25519, in Base64,
/// over the bytes of the payload's text as it stands in the file). What is signed is a text, so
/// nothing has to be brought into a canonical form.
public struct LicenceFile: Hashable, Sendable {
    /// The most bytes that a file may have.
    public static let limit = 64 << 10
    static let version: Int64 = 1

    /// The id of the key it says it was signed with.
    public let keyID: String
    /// The contents as Base64 of JSON.
    public let payload: String
    /// The signature as Base64.
    public let signature: String

    // MARK: - Reading

    /// Reads the outer object; nothing is verified.
    public static func parse(_ bytes: [UInt8]) -> Result<LicenceFile, LicenceRefusal> {
        func malformed(_ finding: String) -> Result<LicenceFile, LicenceRefusal> {
            .failure(LicenceRefusal(.malformed, finding))
        }
        guard bytes.count <= LicenceFile.limit else { return malformed("the file is too large") }
        guard let json = try? JSON(parsing: bytes), case .object(let members) = json else {
            return malformed("the file is no JSON object")
        }
        guard let version = json["mediakit_license"] else {
            return malformed("the file has no member 'mediakit_license'")
        }
        guard version == .int(LicenceFile.version) else {
            return .failure(
                LicenceRefusal(.unsupportedVersion, "the file has the format \(version)"))
        }
        guard let key = json["key"]?.text, let payload = json["payload"]?.text,
            let signature = json["signature"]?.text
        else {
            return malformed("'key', 'payload' or 'signature' is missing or no text")
        }
        guard members.count == 4 else {
            return malformed("the file has members that are not signed")
        }
        return .success(LicenceFile(keyID: key, payload: payload, signature: signature))
    }

    /// The contents, whoever signed them.
    public func contents() -> Result<Licence, LicenceRefusal> {
        guard let bytes = Base64.decode(payload) else {
            return .failure(
                LicenceRefusal(.malformed, "the payload is no Base64 without line breaks"))
        }
        guard let json = try? JSON(parsing: bytes) else {
            return .failure(LicenceRefusal(.malformed, "the payload is no JSON"))
        }
        return Licence.read(json)
    }

    /// The contents, if they were signed with this key; where and when they hold is not asked.
    public func verify(_ key: LicenceKey) -> Result<Licence, LicenceRefusal> {
        let isSigned = key.verifies(Base64.decode(signature), of: Array(payload.utf8))
        guard keyID == key.id else {
            return .failure(
                LicenceRefusal(
                    .wrongKey,
                    "the license was signed with the key \(keyID.printable), and the given one is "
                        + key.id))
        }
        guard isSigned else {
            return .failure(
                LicenceRefusal(.tampered, "the license was changed after it was signed"))
        }
        return contents()
    }

    // MARK: - Making

    /// Signs contents.
    public static func sign(
        _ licence: Licence, with signer: LicenceSigner
    ) throws(MediaError) -> LicenceFile {
        let payload = Base64.encode(Array(licence.json.description.utf8))
        let signature = Base64.encode(try signer.sign(Array(payload.utf8)))
        return LicenceFile(keyID: signer.key.id, payload: payload, signature: signature)
    }

    /// The file's text.
    public var text: String {
        JSON.object([
            .init("mediakit_license", .int(LicenceFile.version)), .init("key", .string(keyID)),
            .init("payload", .string(payload)), .init("signature", .string(signature)),
        ]).pretty + "\n"
    }
}
