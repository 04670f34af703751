// Decides on premium features by a licence, where a program asks for one.

public import MediaCore
public import MediaModel
internal import Synchronization

/// How a gate stands.
public struct LicenceStatus: Sendable {
    /// Whether a licence is asked for; else everything is granted.
    public let isEnforced: Bool
    /// Whether the licence holds; true where none is asked for.
    public let isValid: Bool
    /// `open`, `licensed`, or the word of a `LicenceProblem`.
    public let reason: String
    /// The same for people.
    public let message: String
    /// Where the licence was read from; nil where none was.
    public let path: String?
    /// The contents, where the signature fits; also those of a licence that does not hold now.
    public let licence: Licence?
}

/// Grants premium features by a licence.
///
/// At first nothing is asked for and everything is granted. Once a licence was named, that never
/// comes back: what it does not grant is refused, and so is everything where it does not hold. The
/// file is read once, at the first question; time, machine and domain are looked at each time.
///
/// Thread-safety: safe.
public final class LicenceGate: PremiumGate {
    private typealias Reading = Result<Licence, LicenceRefusal>

    private struct State {
        /// The key that a program fixed: nothing read later may be signed with another.
        var key: Result<LicenceKey, LicenceRefusal>?
        var path: String?
        var reading: Reading?
        /// Counts what may change a reading, so that one that began before is not kept.
        var changes = 0
    }

    private let state: Monitor<State>
    private let environment: LicenceEnvironment

    /// Makes a gate that grants everything.
    ///
    /// - Parameter key: the issuer's; where it is given, no licence signed with another is taken.
    public init(key: LicenceKey? = nil, environment: LicenceEnvironment = .system()) {
        state = Monitor(State(key: key.map { .success($0) }))
        self.environment = environment
    }

    // MARK: - Naming a licence

    /// Fixes the issuer's key, as text or as the path of a PEM file.
    ///
    /// Does nothing where one is fixed. What is no key is the reason of later refusals (`no-key`).
    public func fix(key text: String) {
        let key = read(key: text)
        state.withLock { state in
            if state.key == nil {
                state.key = key
                state.reading = nil
                state.changes += 1
            }
        }
    }

    /// Asks for a licence from now on; it is read when the first feature is asked for.
    public func enforce(_ path: String) {
        state.withLock { state in
            state.path = path
            state.reading = nil
            state.changes += 1
        }
    }

    /// Reads a licence at once; from now on one is asked for, whether this one holds or not.
    ///
    /// - Parameter key: the issuer's, as text or as the path of a PEM file; the fixed one if nil.
    /// - Throws: `not-licensed` with the reason where it does not hold, `bad-argument` for a key
    ///   that is none or not the fixed one, after which nothing has changed.
    public func load(_ path: String, key text: String? = nil) throws(MediaError) {
        if let text {
            let given: LicenceKey
            switch read(key: text) {
            case .success(let key): given = key
            case .failure(let refusal): throw MediaError(.badArgument, refusal.message)
            }
            let isSame = state.withLock { state in
                if state.key == nil {
                    state.key = .success(given)
                    state.changes += 1
                }
                return state.key == .success(given)
            }
            guard isSame else {
                throw MediaError(
                    .badArgument, "this program has a license key of its own; load without one")
            }
        }
        enforce(path)
        let status = status
        guard status.isValid else { throw MediaError(.notLicensed, status.message) }
    }

    private func read(key text: String) -> Result<LicenceKey, LicenceRefusal> {
        if let key = try? LicenceKey(text) { return .success(key) }
        do throws(MediaError) {
            let bytes = try SmallFile.read(text, limit: LicenceFile.limit, environment.files)
            return .success(try LicenceKey(String(decoding: bytes, as: UTF8.self)))
        } catch {
            return .failure(
                LicenceRefusal(
                    .noKey,
                    "the license key is neither an Ed25519 public key (PEM, or Base64 of its 32 "
                        + "bytes) nor a PEM file with one"))
        }
    }

    // MARK: - Asking

    /// How it stands at this moment.
    public var status: LicenceStatus {
        guard let (path, reading) = current else {
            return LicenceStatus(
                isEnforced: false, isValid: true, reason: "open",
                message: "no license is asked for in this program", path: nil, licence: nil)
        }
        let licence = try? reading.get()
        let refusal: LicenceRefusal?
        switch reading {
        case .success(let licence): refusal = licence.refusal(in: environment)
        case .failure(let failure): refusal = failure
        }
        if let refusal {
            return LicenceStatus(
                isEnforced: true, isValid: false, reason: refusal.problem.rawValue,
                message: "license \(path.printable): \(refusal.message)", path: path,
                licence: licence)
        }
        return LicenceStatus(
            isEnforced: true, isValid: true, reason: "licensed",
            message: licence?.holding ?? "", path: path, licence: licence)
    }

    /// Granted where no licence is asked for, or where one that holds names the feature.
    public func verdict(on feature: PremiumFeature) -> PremiumVerdict {
        let status = status
        if !status.isEnforced { return OpenGate().verdict(on: feature) }
        guard status.isValid, let licence = status.licence else {
            return PremiumVerdict(
                feature, isValid: false, reason: status.reason,
                message: "\(feature.name) is refused: \(status.message)")
        }
        guard licence.grants(feature) else {
            let refusal = LicenceRefusal(
                .missingFeature, "\(licence.title) does not have this feature")
            return PremiumVerdict(
                feature, isValid: false, reason: refusal.problem.rawValue,
                message: "\(feature.name) is refused: \(refusal.message)")
        }
        return PremiumVerdict(
            feature, isValid: true, reason: status.reason,
            message: "\(feature.name) is granted: \(status.message)")
    }

    /// The licence that is asked for, read if it was not yet; nil where none is.
    private var current: (path: String, reading: Reading)? {
        let (path, key, known, changes) = state.withLock {
            ($0.path, $0.key, $0.reading, $0.changes)
        }
        guard let path else { return nil }
        if let known { return (path, known) }
        let reading = LicenceGate.read(path, key, environment.files)
        state.withLock { state in
            if state.changes == changes { state.reading = reading }
        }
        return (path, reading)
    }

    private static func read(
        _ path: String, _ key: Result<LicenceKey, LicenceRefusal>?, _ files: any FileSystem
    ) -> Reading {
        LicenceFile.bytes(of: path, files: files).flatMap { LicenceFile.parse($0) }.flatMap {
            file in
            guard let key else {
                return .failure(LicenceRefusal(.noKey, "it can't be verified without a public key"))
            }
            return key.flatMap { file.verify($0) }
        }
    }
}

extension Licence {
    /// How long it holds, for people.
    fileprivate var holding: String {
        "licensed to \(customer.printable) (\(id.printable))"
            + (expires.map { " until \($0)" } ?? "")
    }
}
