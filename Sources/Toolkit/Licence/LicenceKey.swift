// The two halves of an issuer's key pair.

public import MediaCore

/// The public key of an issuer, with which licences are verified.
public struct LicenceKey: Hashable, Sendable {
    let bytes: [UInt8]

    /// Reads PEM (`-----BEGIN PUBLIC KEY-----`), or the 32 raw bytes as Base64.
    ///
    /// - Throws: `bad-argument` for anything else.
    public init(_ text: String) throws(MediaError) {
        let bare = text.trimmedBlanks
        let raw =
            bare.hasPrefix("-----BEGIN")
            ? Ed25519.publicKey(pem: Array((bare + "\n").utf8)) : Base64.decode(bare)
        guard let raw, raw.count == Ed25519.keySize else {
            throw MediaError(
                .badArgument,
                "license key: an Ed25519 public key is expected, as PEM or as Base64 of its 32 "
                    + "bytes")
        }
        bytes = raw
    }

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// What a licence names its key by: the first half of the SHA-256 digest of the raw key, in
    /// hexadecimal.
    public var id: String { Ed25519.sha256(bytes).prefix(16).hexadecimal }

    /// The raw key as Base64.
    public var base64: String { Base64.encode(bytes) }

    /// The key as PEM.
    public var pem: String {
        String(decoding: Ed25519.pem(publicKey: bytes) ?? [], as: UTF8.self)
    }

    /// Whether a signature is that of a message by this key's owner.
    ///
    /// The same work is done for right and for wrong ones.
    func verifies(_ signature: [UInt8]?, of message: [UInt8]) -> Bool {
        let checked = signature ?? []
        let isWhole = checked.count == Ed25519.signatureSize
        let whole = isWhole ? checked : [UInt8](repeating: 0, count: Ed25519.signatureSize)
        return Ed25519.verify(whole, of: message, key: bytes) && isWhole
    }
}

/// The private key of an issuer, with which licences are signed.
public struct LicenceSigner: Sendable {
    let bytes: [UInt8]
    /// The public half.
    public let key: LicenceKey

    /// Makes a new key pair from the system's randomness.
    public static func makeKeyPair() throws(MediaError) -> LicenceSigner {
        guard let bytes = Ed25519.makePrivateKey() else {
            throw MediaError(.internalError, "libcrypto has no random numbers")
        }
        return try LicenceSigner(bytes: bytes)
    }

    /// Reads a private key as PEM, without a passphrase.
    public init(pem: [UInt8]) throws(MediaError) {
        guard let bytes = Ed25519.privateKey(pem: pem) else {
            throw MediaError(
                .badArgument,
                "an Ed25519 private key is expected, as PEM and without a passphrase; "
                    + "`mediakit license keygen` makes one")
        }
        try self.init(bytes: bytes)
    }

    private init(bytes: [UInt8]) throws(MediaError) {
        guard let key = Ed25519.publicKey(of: bytes) else {
            throw MediaError(.internalError, "libcrypto has no Ed25519")
        }
        self.bytes = bytes
        self.key = LicenceKey(bytes: key)
    }

    /// The key as PEM (PKCS #8); whoever has it can issue licences.
    public var pem: [UInt8] { Ed25519.pem(privateKey: bytes) ?? [] }

    func sign(_ message: [UInt8]) throws(MediaError) -> [UInt8] {
        guard let signature = Ed25519.sign(message, key: bytes) else {
            throw MediaError(.internalError, "libcrypto could not sign")
        }
        return signature
    }
}

extension String {
    /// Without blanks and line ends around it.
    var trimmedBlanks: String {
        func isBlank(_ character: Character) -> Bool { character.isWhitespace }
        guard let first = firstIndex(where: { !isBlank($0) }),
            let last = lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(self[first...last])
    }
}

extension Sequence<UInt8> {
    /// Two lower-case digits a byte.
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
