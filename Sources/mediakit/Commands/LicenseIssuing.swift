// The issuer's side of `mediakit license`: key pairs and signed files.

import Toolkit

struct LicenseIssuing {
    private let line: ParsedLine

    init(_ line: ParsedLine) { self.line = line }

    private var replaces: Bool { line.options.bool("force") }

    /// Makes a key pair and prints the public key.
    func makeKeys(_ path: String, public publicPath: String) throws(MediaError) -> Int32 {
        guard path != publicPath else {
            throw MediaError(.badArgument, "license keygen: two names are needed for two keys")
        }
        let files = SystemFileSystem()
        for path in [path, publicPath] where !replaces {
            if try files.facts(of: path) != nil { throw LicenseIssuing.taken(path) }
        }
        let signer = try LicenceSigner.makeKeyPair()
        try LicenceFile.writePrivate(signer.pem, to: path, replaces: replaces)
        try LicenceFile.write(Array(signer.key.pem.utf8), to: publicPath, replaces: replaces)
        if line.options.bool("json") {
            try Terminal.write(
                .object([
                    .init("schema", .string("mediakit.key/1")), .init("id", .string(signer.key.id)),
                    .init("public_key", .string(signer.key.base64)),
                ]))
        } else {
            try Terminal.write(signer.key.base64 + "\n")
        }
        return 0
    }

    /// Signs a payload from a file, with the options over it.
    func sign(payload path: String?) throws(MediaError) -> Int32 {
        guard let keyPath = line.options.string("private_key") else {
            throw MediaError(
                .badArgument, "license sign: name the issuer's private key (--private-key FILE)")
        }
        let signer: LicenceSigner
        do throws(MediaError) {
            signer = try LicenceSigner(pem: LicenceFile.smallFile(keyPath))
        } catch {
            throw error.prefixed("license sign: \(keyPath.printable)")
        }
        var members = try path.map(payload) ?? []
        try addOptions(to: &members)
        guard members.contains(where: { $0.name == "customer" }) else {
            throw MediaError(.badArgument, "license sign: name the customer (--customer NAME)")
        }
        let licence: Licence
        switch Licence.read(.object(members)) {
        case .success(let contents): licence = contents
        case .failure(let refusal):
            throw MediaError(.badArgument, "license sign: \(refusal.finding)")
        }
        try check(licence)
        let file = try LicenceFile.sign(licence, with: signer)
        if case .failure(let refusal) = file.verify(signer.key) {
            throw MediaError(.internalError, "license sign: \(refusal.message)")
        }
        let output = line.options.string("output") ?? "-"
        guard output != "-" else {
            try Terminal.write(file.text)
            return 0
        }
        if !replaces, try SystemFileSystem().facts(of: output) != nil {
            throw LicenseIssuing.taken(output)
        }
        try LicenceFile.write(Array(file.text.utf8), to: output, replaces: replaces)
        return 0
    }

    private func payload(_ path: String) throws(MediaError) -> [JSON.Member] {
        do throws(MediaError) {
            guard case .object(let members) = try JSON(parsing: LicenceFile.smallFile(path)) else {
                throw MediaError(.badArgument, "an object is expected")
            }
            return members
        } catch {
            throw error.prefixed("license sign: \(path.printable)")
        }
    }

    /// What the options say wins over the file; number and time of issue are made where both lack.
    private func addOptions(to members: inout [JSON.Member]) throws(MediaError) {
        func set(_ name: String, _ value: JSON) {
            members.removeAll { $0.name == name }
            members.append(.init(name, value))
        }
        for name in ["id", "customer"] {
            if let text = line.options.string(name) { set(name, .string(text)) }
        }
        for (option, name) in [
            ("feature", "features"), ("machine", "machines"), ("domain", "domains"),
        ] {
            guard let given = line.repeated[option] else { continue }
            let words = given.flatMap { $0.split(separator: ",") }.map { JSON.string(String($0)) }
            set(name, .array(words))
        }
        for name in ["issued", "not_before", "expires"] {
            guard let text = line.options.string(name) else { continue }
            guard let time = UTCTime(text) ?? UTCTime(text + "T00:00:00Z") else {
                throw MediaError(
                    .badArgument,
                    "license sign: \(name): '\(text.printable)' is no time like 2027-12-31T12:00:00Z "
                        + "or 2027-12-31")
            }
            set(name, .string(time.description))
        }
        if !members.contains(where: { $0.name == "id" }) {
            set("id", .string(try Licence.makeID()))
        }
        if !members.contains(where: { $0.name == "issued" }) {
            set("issued", .string(UTCTime.now.description))
        }
    }

    /// Refuses what can never hold, and warns of what this version has no use for.
    private func check(_ licence: Licence) throws(MediaError) {
        if let begin = licence.notBefore, let end = licence.expires, end <= begin {
            throw MediaError(.badArgument, "license sign: it would expire before it begins")
        }
        if licence.features.isEmpty {
            throw MediaError(.badArgument, "license sign: it grants nothing (--feature NAMES)")
        }
        let known = PremiumFeature.allCases.map(\.name)
        for feature in licence.features where !known.contains(feature) {
            let hint = Suggestion.sentence(for: feature, among: known)
            Log.warning("license", "no feature '\(feature.printable)' is known here\(hint)")
        }
        for machine in licence.machines where machine.utf8.count != 32 {
            Log.warning("license", "'\(machine.printable)' does not look like the id of a machine")
        }
    }

    private static func taken(_ path: String) -> MediaError {
        MediaError(
            .outputExists, "\(path.printable) is there; another name or --force is needed")
    }
}
