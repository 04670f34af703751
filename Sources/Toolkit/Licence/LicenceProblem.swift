// Why a licence does not hold, and what to do about each reason.

/// Why a licence, or a feature of it, is refused.
public enum LicenceProblem: String, CaseIterable, Sendable {
    /// The file is missing or can't be read.
    case unreadable
    /// The file is no license, or lacks a member.
    case malformed
    /// The file has a format or a member that this version lacks.
    case unsupportedVersion = "unsupported-version"
    /// No public key was given, or what was given is none.
    case noKey = "no-key"
    /// The license was signed with another key than the one given.
    case wrongKey = "wrong-key"
    /// The signature does not fit the contents.
    case tampered
    /// The clock shows an earlier time than was seen before.
    case clockSetBack = "clock-set-back"
    /// The time of `not_before` has not come.
    case notYetValid = "not-yet-valid"
    /// The time of `expires` has come.
    case expired
    /// The license is bound to other machines.
    case wrongMachine = "wrong-machine"
    /// The license is bound to other domains.
    case wrongDomain = "wrong-domain"
    /// The license holds, and does not name the feature.
    case missingFeature = "missing-feature"

    /// What helps, as a clause for the end of a message.
    public var advice: String {
        switch self {
        case .unreadable: "name a license file that can be read"
        case .malformed: "get the file from its issuer again"
        case .unsupportedVersion: "use a newer mediakit, or ask the issuer for an older format"
        case .noKey:
            "give the issuer's public key (--license-key, MEDIAKIT_LICENSE_KEY, or the second "
                + "argument of mk.license.load)"
        case .wrongKey: "check that license and public key are of the same issuer"
        case .tampered: "get the unchanged file from its issuer again"
        case .clockSetBack: "set the clock of this machine right"
        case .notYetValid: "wait until then, or ask the issuer for one that begins earlier"
        case .expired: "ask the issuer for a new license"
        case .wrongMachine:
            "send the output of `mediakit license machine` to the issuer for a license of this "
                + "machine"
        case .wrongDomain: "use it where it is licensed, or ask the issuer for this domain"
        case .missingFeature: "ask the issuer for a license with this feature"
        }
    }

    /// One sentence for the reference.
    public var meaning: String {
        switch self {
        case .unreadable: "The file is missing or can't be read."
        case .malformed: "The file is no license, or lacks a member."
        case .unsupportedVersion: "The file has a format or a member that this version lacks."
        case .noKey: "No public key was given, or what was given is none."
        case .wrongKey: "The license was signed with another key than the one given."
        case .tampered: "The signature does not fit the contents."
        case .clockSetBack: "The clock shows an earlier time than was seen before."
        case .notYetValid: "The time of `not_before` has not come."
        case .expired: "The time of `expires` has come."
        case .wrongMachine: "The license is bound to other machines."
        case .wrongDomain: "The license is bound to other domains."
        case .missingFeature: "The license holds, and does not name the feature."
        }
    }
}

/// A licence that was refused.
public struct LicenceRefusal: Error, Hashable, Sendable {
    /// The reason as a word.
    public let problem: LicenceProblem
    /// What was found; lower case, without a full stop.
    public let finding: String

    /// Joins a reason and what was found.
    public init(_ problem: LicenceProblem, _ finding: String) {
        self.problem = problem
        self.finding = finding
    }

    /// What was found and what helps.
    public var message: String { "\(finding); \(problem.advice)" }
}
