// `mediakit license`: verifying and showing licences, issuing them, and the id of this machine.

import Toolkit

struct LicenseCommand: Command {
    let name = "license"
    let summary = "Verifies, shows and issues licenses of premium features."
    let discussion = """
        verify FILE            says whether the license holds here and now; 0 where it does, else 5
        show FILE              prints what is in it, whoever signed it
        sign [PAYLOAD]         issues a license from the options, or from a JSON file with its members
        keygen PRIVATE [PUBLIC]  makes a key pair; PUBLIC is PRIVATE.pub unless it is named
        machine                prints the id of this machine for the issuer; --json its domain too

        Files that are there stay as they are unless --force is given. A private key is written
        so that only its owner can read it. docs/licence.md explains the rest.

        Examples:
          mediakit license keygen issuer.pem
          mediakit license sign --private-key issuer.pem --customer ACME \\
              --feature AudioEnhance,H266Support --expires 2027-12-31 --output acme.json
          mediakit license verify acme.json --license-key issuer.pem.pub
        """
    let operands = Operands(
        usage: "verify FILE | show FILE | sign [PAYLOAD] | keygen PRIVATE [PUBLIC] | machine",
        least: 1, most: 3)
    let options = [
        CommonOptions.json,
        OptionSpec(
            "private_key", .string, default: nil, unit: "FILE",
            "sign: the issuer's private key, a PEM file."),
        OptionSpec(
            "output", .string, default: nil, unit: "FILE",
            "sign: where the license goes; standard output when not set or '-'."),
        OptionSpec(
            "force", .bool, default: .bool(false), "sign, keygen: replaces files that are there."),
        OptionSpec("customer", .string, default: nil, "sign: whom the license is for."),
        OptionSpec(
            "feature", .string, default: nil, unit: "NAMES",
            "sign: the features it grants, with commas between; may be repeated."),
        OptionSpec(
            "id", .string, default: nil, "sign: the number of the license; random when not given."),
        OptionSpec(
            "issued", .string, default: nil, unit: "TIME",
            "sign: when it was made; now when not given."),
        OptionSpec(
            "not_before", .string, default: nil, unit: "TIME", "sign: from when on it holds."),
        OptionSpec(
            "expires", .string, default: nil, unit: "TIME",
            "sign: until when it holds: 2027-12-31T12:00:00Z, or a day, which begins at 0:00 UTC."),
        OptionSpec(
            "machine", .string, default: nil, unit: "ID",
            "sign: a machine it is bound to; may be repeated."),
        OptionSpec(
            "domain", .string, default: nil, unit: "NAME",
            "sign: a domain it is bound to, with all below it; may be repeated."),
    ]
    let repeatable: Set<String> = ["feature", "machine", "domain"]

    func run(_ line: ParsedLine) throws(MediaError) -> Int32 {
        let action = line.operands[0]
        let rest = Array(line.operands.dropFirst())
        let counts: [String: ClosedRange<Int>] = [
            "verify": 1...1, "show": 1...1, "sign": 0...1, "keygen": 1...2, "machine": 0...0,
        ]
        guard let count = counts[action] else {
            let hint = Suggestion.sentence(for: action, among: counts.keys.sorted())
            throw MediaError(
                .badArgument,
                "license: no action '\(action.printable)'\(hint); see `mediakit license --help`")
        }
        guard count.contains(rest.count) else {
            throw MediaError(
                .badArgument,
                "license \(action): "
                    + (rest.isEmpty ? "a file is missing" : "one argument too many")
                    + "; see `mediakit license --help`")
        }
        switch action {
        case "verify": return try verify(rest[0], line)
        case "show": return try show(rest[0], line)
        case "sign": return try LicenseIssuing(line).sign(payload: rest.first)
        case "keygen":
            return try LicenseIssuing(line).makeKeys(
                rest[0], public: rest.count > 1 ? rest[1] : rest[0] + ".pub")
        default: return try machine(line)
        }
    }

    private func verify(_ path: String, _ line: ParsedLine) throws(MediaError) -> Int32 {
        // What can't be read is an input like any other; what can is judged by the gate.
        _ = try LicenceFile.smallFile(path)
        let gate = line.gate
        gate.enforce(path)
        let status = gate.status
        if line.options.bool("json") {
            try Terminal.write(
                .object([
                    .init("schema", .string("mediakit.license/1")),
                    .init("valid", .bool(status.isValid)), .init("reason", .string(status.reason)),
                    .init("message", .string(status.message)),
                    .init("license", status.licence?.json ?? .null),
                ]))
        } else if status.isValid, let licence = status.licence {
            try Terminal.write("valid: \(status.message)\n" + LicensePage.text(for: licence))
        }
        if status.isValid { return 0 }
        throw MediaError(.notLicensed, "\(status.message) (\(status.reason))")
    }

    private func show(_ path: String, _ line: ParsedLine) throws(MediaError) -> Int32 {
        let bytes = try LicenceFile.smallFile(path)
        let licence: Licence
        let file: LicenceFile
        do throws(LicenceRefusal) {
            file = try LicenceFile.parse(bytes).get()
            licence = try file.contents().get()
        } catch {
            throw MediaError(
                .notLicensed,
                "license \(path.printable): \(error.message) (\(error.problem.rawValue))")
        }
        let gate = line.gate
        gate.enforce(path)
        let status = gate.status
        let isChecked = status.reason != LicenceProblem.noKey.rawValue
        if line.options.bool("json") {
            try Terminal.write(
                .object([
                    .init("schema", .string("mediakit.license/1")),
                    .init("key", .string(file.keyID)),
                    .init("checked", .bool(isChecked)),
                    .init("valid", isChecked ? .bool(status.isValid) : .null),
                    .init("reason", .string(status.reason)),
                    .init("license", licence.json),
                ]))
            return 0
        }
        try Terminal.write(LicensePage.text(for: licence))
        try Terminal.write("  key         \(file.keyID.printable)\n")
        try Terminal.write(
            isChecked
                ? "  \(status.isValid ? "valid" : "not valid (\(status.reason))")\n"
                : "  signature not checked: no public key was given (--license-key)\n")
        return 0
    }

    private func machine(_ line: ParsedLine) throws(MediaError) -> Int32 {
        let environment = LicenceEnvironment.system()
        let (machine, domain) = (environment.machine(), environment.domain())
        if line.options.bool("json") {
            try Terminal.write(
                .object([
                    .init("schema", .string("mediakit.machine/1")),
                    .init("machine", machine.map(JSON.string) ?? .null),
                    .init("domain", domain.map(JSON.string) ?? .null),
                ]))
            return 0
        }
        guard let machine else {
            throw MediaError(.notFound, "this machine has no /etc/machine-id")
        }
        try Terminal.write(machine + "\n")
        return 0
    }
}

/// A licence for a person.
enum LicensePage {
    static func text(for licence: Licence) -> String {
        var rows = [
            ("id", licence.id), ("customer", licence.customer),
            ("features", licence.features.joined(separator: ", ")),
            ("issued", licence.issued.description),
        ]
        if let time = licence.notBefore { rows.append(("not before", time.description)) }
        rows.append(("expires", licence.expires?.description ?? "never"))
        if !licence.machines.isEmpty {
            rows.append(("machines", licence.machines.joined(separator: ", ")))
        }
        if !licence.domains.isEmpty {
            rows.append(("domains", licence.domains.joined(separator: ", ")))
        }
        return rows.map { "  \(HelpPage.padded($0.0, 10))  \($0.1.printable)\n" }.joined()
    }
}
