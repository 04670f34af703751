// Signatures: ours and OpenSSL's own program agree, and nothing that was changed verifies.

import MediaCore
import TestSupport
import Testing

@testable import Licence

@Suite("A1.1, issue 3 (6): signatures")
struct VerifyTests {
    private let issuer: Issuer

    init() throws { issuer = try Issuer() }

    private func openssl(_ arguments: [String]) throws -> ChildResult {
        let result = try run("openssl", arguments, folder: issuer.folder.path)
        try #require(result.status == 0, "\(result)")
        return result
    }

    @Test("the openssl program verifies what we sign, with the key we write")
    func oracleVerifies() throws {
        let file = try LicenceFile.sign(try Issuer.licence(), with: issuer.signer)
        try issuer.folder.write("payload", file.payload.utf8)
        try issuer.folder.write("signature", try #require(Base64.decode(file.signature)))
        try issuer.folder.write("public.pem", issuer.key.pem.utf8)
        let result = try openssl([
            "pkeyutl", "-verify", "-pubin", "-inkey", "public.pem", "-rawin", "-in", "payload",
            "-sigfile", "signature",
        ])
        #expect(result.text.contains("Verified Successfully"))
    }

    @Test("we verify what the openssl program signs, with the keys it makes")
    func oracleSigns() throws {
        _ = try openssl(["genpkey", "-algorithm", "ed25519", "-out", "theirs.pem"])
        _ = try openssl(["pkey", "-in", "theirs.pem", "-pubout", "-out", "theirs.pub"])
        let key = try LicenceKey(
            String(decoding: issuer.folder.read("theirs.pub"), as: UTF8.self))
        let payload = Base64.encode(Array(try Issuer.licence().json.pretty.utf8))
        try issuer.folder.write("payload", payload.utf8)
        _ = try openssl([
            "pkeyutl", "-sign", "-rawin", "-inkey", "theirs.pem", "-in", "payload", "-out",
            "signature",
        ])
        let signature = Base64.encode(try issuer.folder.read("signature"))
        let text =
            #"{"signature":"\#(signature)","payload":"\#(payload)","key":"\#(key.id)","mediakit_license":1}"#
        let file = try LicenceFile.parse(Array(text.utf8)).get()
        #expect(try file.verify(key).get() == Issuer.licence())
        // Theirs and ours are one key and one signature: Ed25519 has no chance in it.
        let signer = try LicenceSigner(pem: issuer.folder.read("theirs.pem"))
        #expect(signer.key == key)
        #expect(Base64.encode(try signer.sign(Array(payload.utf8))) == signature)
        #expect(try LicenceKey(key.base64) == key)
    }

    @Test("the vectors of RFC 8032, section 7.1")
    func vectors() throws {
        func bytes(_ hex: String) -> [UInt8] {
            stride(from: 0, to: hex.utf8.count, by: 2).compactMap { place in
                let start = hex.index(hex.startIndex, offsetBy: place)
                return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)
            }
        }
        let vectors = [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                    + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                    + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
            ),
        ]
        for (secret, key, message, signature) in vectors {
            #expect(Ed25519.publicKey(of: bytes(secret)) == bytes(key))
            #expect(Ed25519.sign(bytes(message), key: bytes(secret)) == bytes(signature))
            #expect(Ed25519.verify(bytes(signature), of: bytes(message), key: bytes(key)))
            #expect(!Ed25519.verify(bytes(signature), of: bytes(message) + [0], key: bytes(key)))
        }
        // S + L is the same signature by arithmetic, and must be refused (RFC 8032, 5.1.7).
        var high = bytes(vectors[1].3)
        let order = bytes("edd3f55c1a631258d69cf7a2def9de14" + "00000000000000000000000000000010")
        var carry = 0
        for index in 0..<32 {
            let sum = Int(high[32 + index]) + Int(order[index]) + carry
            high[32 + index] = UInt8(sum & 0xFF)
            carry = sum >> 8
        }
        #expect(!Ed25519.verify(high, of: bytes("72"), key: bytes(vectors[1].1)))
    }

    @Test("what is no key is refused, and nobody is asked for a passphrase")
    func keys() throws {
        _ = try openssl(["genpkey", "-algorithm", "ed448", "-out", "448.pem"])
        _ = try openssl(["pkey", "-in", "448.pem", "-pubout", "-out", "448.pub"])
        _ = try openssl([
            "genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:x", "-out", "locked.pem",
        ])
        let others = [
            "", "AAAA", issuer.key.base64 + "A", String(decoding: issuer.signer.pem, as: UTF8.self),
            String(decoding: try issuer.folder.read("448.pub"), as: UTF8.self),
            "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----",
        ]
        for text in others {
            #expect(throws: MediaError.self, "\(text)") { try LicenceKey(text) }
        }
        for name in ["448.pem", "locked.pem", "448.pub"] {
            let pem = try issuer.folder.read(name)
            #expect(throws: MediaError.self) { try LicenceSigner(pem: pem) }
        }
        #expect(try LicenceKey("  \n\(issuer.key.pem)\n\n") == issuer.key)
    }

    @Test("another key's licence is told from a changed one")
    func wrongKeyAndTampered() throws {
        let other = try LicenceSigner.makeKeyPair()
        let path = try issuer.write()
        #expect(issuer.reason(path) == "licensed")
        #expect(issuer.reason(path, key: other.key) == "wrong-key")
        let file = try LicenceFile.parse(readFile(path)).get()
        let forged = LicenceFile(
            keyID: other.key.id, payload: file.payload, signature: file.signature)
        try issuer.folder.write("forged.json", forged.text.utf8)
        #expect(issuer.reason(issuer.folder.file("forged.json")) == "wrong-key")
        #expect(issuer.reason(issuer.folder.file("forged.json"), key: other.key) == "tampered")
        let richer = try LicenceFile.sign(
            Issuer.licence { $0.features.append("H266Support") }, with: other)
        let swapped = LicenceFile(
            keyID: issuer.key.id, payload: richer.payload, signature: file.signature)
        try issuer.folder.write("swapped.json", swapped.text.utf8)
        #expect(issuer.reason(issuer.folder.file("swapped.json")) == "tampered")
    }

    @Test("of 2000 seeded changes of a file, none verifies and none crashes")
    func mutations() throws {
        let original = try LicenceFile.sign(
            try Issuer.licence { $0.machines = ["00112233445566778899aabbccddeeff"] },
            with: issuer.signer)
        let bytes = Array(original.text.utf8)
        var random = SeededRandom(seed: 266)
        var reasons: [String: Int] = [:]
        var (changed, blanks) = (0, 0)
        func pick(_ count: Int) -> Int { Int(random.next() % UInt64(max(1, count))) }
        while changed < 2000 {
            var mutated = bytes
            for _ in 0...pick(3) {
                let place = pick(mutated.count)
                switch pick(6) {
                case 0: mutated[place] ^= 1 << UInt8(pick(8))
                case 1: mutated[place] = UInt8(truncatingIfNeeded: random.next())
                case 2: mutated.remove(at: place)
                case 3: mutated.insert(mutated[pick(mutated.count)], at: place)
                case 4: mutated.swapAt(place, pick(mutated.count))
                default: mutated.removeSubrange(place..<min(place + pick(40), mutated.count))
                }
                if mutated.isEmpty { mutated = [UInt8(ascii: "{")] }
            }
            let parsed = LicenceFile.parse(mutated)
            if case .success(original) = parsed {
                // Only blanks between the members are others, or nothing is.
                blanks += 1
                continue
            }
            changed += 1
            switch parsed.flatMap({ $0.verify(issuer.key) }) {
            case .success: Issue.record("verified: \(String(decoding: mutated, as: UTF8.self))")
            case .failure(let refusal): reasons[refusal.problem.rawValue, default: 0] += 1
            }
        }
        #expect(blanks < 400)
        for reason in ["malformed", "tampered", "wrong-key"] {
            #expect(reasons[reason, default: 0] > 20, "\(reasons)")
        }
    }

    @Test("of 1000 payloads changed before they are signed, none crashes")
    func signedMutations() throws {
        let bytes = Array(try Issuer.licence().json.description.utf8)
        var random = SeededRandom(seed: 267)
        var refused = 0
        for _ in 0..<1000 {
            var mutated = bytes
            for _ in 0...2 {
                mutated[Int(random.next() % UInt64(bytes.count))] = UInt8(
                    truncatingIfNeeded: random.next())
            }
            let payload = Base64.encode(mutated)
            let file = LicenceFile(
                keyID: issuer.key.id, payload: payload,
                signature: Base64.encode(try issuer.signer.sign(Array(payload.utf8))))
            if case .failure(let refusal) = file.verify(issuer.key) {
                refused += 1
                #expect([.malformed, .unsupportedVersion].contains(refusal.problem))
            }
        }
        #expect(refused > 700)
    }

    @Test(
        "files that are no licences",
        arguments: [
            ("", "malformed"), ("\0", "malformed"), ("[]", "malformed"), ("{}", "malformed"),
            ("nonsense", "malformed"), (#"{"mediakit_license":1}"#, "malformed"),
            (#"{"mediakit_license":2,"key":"","payload":""}"#, "unsupported-version"),
            (
                #"{"mediakit_license":"1","key":"","payload":"","signature":""}"#,
                "unsupported-version"
            ),
            (#"{"mediakit_license":1,"key":"k","payload":1,"signature":""}"#, "malformed"),
            (#"{"mediakit_license":1,"key":"k","payload":"","signature":"","x":1}"#, "malformed"),
            (#"{"mediakit_license":1,"key":"k","payload":"","signature":""}"#, "wrong-key"),
            (String(repeating: "[", count: 60_000), "malformed"),
            (String(repeating: " ", count: 70_000), "malformed"),
        ])
    func noLicences(_ text: String, _ reason: String) throws {
        let path = try issuer.folder.write("bad.json", text.utf8)
        #expect(issuer.reason(path) == reason)
    }

    @Test("payloads that were signed and are none")
    func noPayloads() throws {
        let good = try Issuer.licence().json.description
        let cases = [
            ("[]", "malformed"), ("{}", "malformed"), ("", "malformed"),
            (good.replacing(#""id":"n1""#, with: #""id":7"#), "malformed"),
            (good.replacing(#""id":"n1""#, with: #""id":"""#), "malformed"),
            (good.replacing(#"["AudioEnhance"]"#, with: #""AudioEnhance""#), "malformed"),
            (good.replacing(#"["AudioEnhance"]"#, with: #"["AudioEnhance",1]"#), "malformed"),
            (good.replacing("2027-11-01T00", with: "2027-11-31T00"), "malformed"),
            (good.replacing(#""issued""#, with: #""made""#), "unsupported-version"),
            (good.replacing(#"{"id""#, with: #"{"players":1,"id""#), "unsupported-version"),
            (good.replacing(#"{"id""#, with: #"{"machines":[],"id""#), "malformed"),
            (good.replacing(#"{"id""#, with: #"{"machines":"all","id""#), "malformed"),
            (good, "licensed"),
        ]
        for (text, reason) in cases {
            let payload = Base64.encode(Array(text.utf8))
            let file = LicenceFile(
                keyID: issuer.key.id, payload: payload,
                signature: Base64.encode(try issuer.signer.sign(Array(payload.utf8))))
            let path = try issuer.folder.write("signed.json", file.text.utf8)
            #expect(issuer.reason(path) == reason, "\(text)")
        }
    }
}
