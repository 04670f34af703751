// Where and when a licence holds.

internal import MediaCore

extension Licence {
    /// Why it does not hold here and now; nil where it does.
    ///
    /// The clock is asked for only where the licence ends at some time.
    func refusal(in environment: LicenceEnvironment) -> LicenceRefusal? {
        let now = environment.now()
        return clockRefusal(now, environment) ?? timeRefusal(now) ?? machineRefusal(environment)
            ?? domainRefusal(environment)
    }

    private func clockRefusal(
        _ now: UTCTime, _ environment: LicenceEnvironment
    ) -> LicenceRefusal? {
        guard expires != nil else { return nil }
        if now + ClockMemory.tolerance < issued {
            return LicenceRefusal(
                .clockSetBack, "the clock shows \(now), and \(title) was issued at \(issued)")
        }
        let memory = ClockMemory(path: environment.stateFile, files: environment.files)
        if let latest = memory.latest, now + ClockMemory.tolerance < latest {
            return LicenceRefusal(
                .clockSetBack,
                "the clock shows \(now), and \(latest) was seen before (in "
                    + "\((environment.stateFile ?? "").printable))")
        }
        memory.note(now)
        return nil
    }

    private func timeRefusal(_ now: UTCTime) -> LicenceRefusal? {
        if let notBefore, now < notBefore {
            return LicenceRefusal(.notYetValid, "\(title) holds from \(notBefore) on")
        }
        if let expires, now >= expires {
            return LicenceRefusal(.expired, "\(title) expired at \(expires)")
        }
        return nil
    }

    private func machineRefusal(_ environment: LicenceEnvironment) -> LicenceRefusal? {
        guard !machines.isEmpty else { return nil }
        guard let machine = environment.machine() else {
            return LicenceRefusal(
                .wrongMachine,
                "\(title) is bound to machines, and this one has no /etc/machine-id")
        }
        let isHere = machines.contains { $0.lowercased() == machine.lowercased() }
        return isHere
            ? nil
            : LicenceRefusal(.wrongMachine, "\(title) is bound to other machines than \(machine)")
    }

    private func domainRefusal(_ environment: LicenceEnvironment) -> LicenceRefusal? {
        guard !domains.isEmpty else { return nil }
        let wanted = domains.joined(separator: ", ").printable
        guard let domain = environment.domain().map(Licence.tidied), !domain.isEmpty else {
            return LicenceRefusal(
                .wrongDomain, "\(title) is bound to \(wanted), and this program names no domain")
        }
        let isHere = domains.map(Licence.tidied).contains { name in
            !name.isEmpty && (domain == name || domain.hasSuffix("." + name))
        }
        return isHere
            ? nil
            : LicenceRefusal(
                .wrongDomain, "\(title) is bound to \(wanted), and this is \(domain.printable)")
    }

    /// Lower case, without the dot of the root.
    private static func tidied(_ domain: String) -> String {
        let lower = domain.lowercased()
        return lower.hasSuffix(".") ? String(lower.dropLast()) : lower
    }
}
