// Ed25519 by OpenSSL: raw keys, signatures, and keys as PEM.

internal import COpenSSL

/// Calls of libcrypto, with bytes in and bytes out.
///
/// Threading: any; nothing is kept between calls.
///
/// - Source: RFC 8032 (pure Ed25519), RFC 8410 (keys as PEM).
enum Ed25519 {
    static let keySize = 32
    static let signatureSize = 64

    /// Whether `signature` is that of `message` by the owner of the public key.
    static func verify(_ signature: [UInt8], of message: [UInt8], key: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        guard let key = EVP_PKEY_new_raw_public_key(mk_ed25519(), nil, key, key.count) else {
            return false
        }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// The signature of a message; nil where the private key is none.
    static func sign(_ message: [UInt8], key: [UInt8]) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let key = EVP_PKEY_new_raw_private_key(mk_ed25519(), nil, key, key.count) else {
            return nil
        }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: signatureSize)
        var count = signature.count
        guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1,
            count == signatureSize
        else { return nil }
        return signature
    }

    /// The public key of a private one.
    static func publicKey(of key: [UInt8]) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let key = EVP_PKEY_new_raw_private_key(mk_ed25519(), nil, key, key.count) else {
            return nil
        }
        defer { EVP_PKEY_free(key) }
        return raw(key, EVP_PKEY_get_raw_public_key)
    }

    /// A new private key from the system's randomness; nil where there is none.
    static func makePrivateKey() -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: keySize)
        return RAND_priv_bytes(&key, Int32(key.count)) == 1 ? key : nil
    }

    /// The raw public key in a PEM text; nil where there is none of Ed25519.
    static func publicKey(pem: [UInt8]) -> [UInt8]? {
        read(pem, mk_read_public_key, EVP_PKEY_get_raw_public_key)
    }

    /// The raw private key in a PEM text without a passphrase; nil where there is none of Ed25519.
    static func privateKey(pem: [UInt8]) -> [UInt8]? {
        read(pem, mk_read_private_key, EVP_PKEY_get_raw_private_key)
    }

    /// A private key as PEM (PKCS #8, no passphrase).
    static func pem(privateKey: [UInt8]) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard
            let key = EVP_PKEY_new_raw_private_key(
                mk_ed25519(), nil, privateKey, privateKey.count)
        else { return nil }
        defer { EVP_PKEY_free(key) }
        return written { mk_write_private_key($0, key) }
    }

    /// A public key as PEM (SubjectPublicKeyInfo).
    static func pem(publicKey: [UInt8]) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard
            let key = EVP_PKEY_new_raw_public_key(mk_ed25519(), nil, publicKey, publicKey.count)
        else { return nil }
        defer { EVP_PKEY_free(key) }
        return written { PEM_write_bio_PUBKEY($0, key) }
    }

    /// The SHA-256 digest.
    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        let isDone = EVP_Digest(bytes, bytes.count, &digest, &count, EVP_sha256(), nil) == 1
        precondition(isDone && count == 32, "libcrypto has no SHA-256")
        return digest
    }

    /// Random bytes of the system.
    static func random(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return RAND_bytes(&bytes, Int32(clamping: count)) == 1 ? bytes : nil
    }

    private typealias RawBytes = (
        OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?
    ) -> Int32

    private static func read(
        _ pem: [UInt8], _ parse: (OpaquePointer?) -> OpaquePointer?, _ get: RawBytes
    ) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let text = BIO_new_mem_buf(pem, Int32(clamping: pem.count)) else { return nil }
        defer { BIO_free(text) }
        guard let key = parse(text) else { return nil }
        defer { EVP_PKEY_free(key) }
        return raw(key, get)
    }

    /// The 32 bytes of a key, where it is one of Ed25519.
    private static func raw(_ key: OpaquePointer, _ get: RawBytes) -> [UInt8]? {
        guard EVP_PKEY_get_base_id(key) == mk_ed25519() else { return nil }
        var bytes = [UInt8](repeating: 0, count: keySize)
        var count = bytes.count
        return get(key, &bytes, &count) == 1 && count == keySize ? bytes : nil
    }

    private static func written(_ write: (OpaquePointer) -> Int32) -> [UInt8]? {
        guard let text = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(text) }
        guard write(text) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = BIO_read(text, &bytes, Int32(bytes.count))
        return count > 0 ? Array(bytes.prefix(Int(count))) : nil
    }
}
