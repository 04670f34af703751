// Asking for premium features: who decides, who hears of it, and what a run was told.

internal import MediaCore
internal import Synchronization

/// What was decided on a premium feature.
public struct PremiumVerdict: Hashable, Sendable {
    /// What was asked for.
    public let feature: PremiumFeature
    /// Whether it may be used.
    public let isValid: Bool
    /// `open` or `licensed`, or why not, in a word: `expired`.
    public let reason: String
    /// The same for people: what holds, and what to do where it is refused.
    public let message: String

    /// Gathers a verdict.
    public init(_ feature: PremiumFeature, isValid: Bool, reason: String, message: String) {
        self.feature = feature
        self.isValid = isValid
        self.reason = reason
        self.message = message
    }
}

/// Decides on premium features.
public protocol PremiumGate: Sendable {
    /// What holds for a feature at this moment. Called by any thread; must be quick.
    func verdict(on feature: PremiumFeature) -> PremiumVerdict
}

/// Grants everything.
public struct OpenGate: PremiumGate {
    /// Makes the gate; it holds nothing.
    public init() {}

    /// Granted.
    public func verdict(on feature: PremiumFeature) -> PremiumVerdict {
        PremiumVerdict(
            feature, isValid: true, reason: "open",
            message: "\(feature.name) is granted: no license is asked for in this program")
    }
}

/// Who hears of verdicts, fixed before the first run.
///
/// Thread-safety: safe.
final class PremiumListener: Sendable {
    typealias Handler = @Sendable (PremiumVerdict) -> Void

    private struct State {
        var handler: Handler?
        var hasBegun = false
    }

    private let state = Mutex(State())
    private let outer: PremiumListener?

    /// Makes a listener; `outer` hears everything as well.
    init(within outer: PremiumListener? = nil) { self.outer = outer }

    /// Sets what is called; `invalid-state` once something runs.
    func set(_ handler: @escaping Handler) throws(MediaError) {
        let isEarly = state.withLock { state in
            if !state.hasBegun { state.handler = handler }
            return !state.hasBegun
        }
        guard isEarly else {
            throw MediaError(
                .invalidState,
                "the listener of license checks must be set before the first player, batch or "
                    + "measurement is made")
        }
    }

    /// Notes that something runs.
    func begin() {
        state.withLock { $0.hasBegun = true }
        outer?.begin()
    }

    func hear(_ verdict: PremiumVerdict) {
        state.withLock { $0.handler }?(verdict)
        outer?.hear(verdict)
    }
}

/// What one run was told of premium features: each verdict is told once, and again where it has
/// become another.
///
/// Thread-safety: safe.
final class PremiumUse: Sendable {
    let gate: any PremiumGate
    let listener: PremiumListener
    private let told = Mutex<[PremiumFeature: String]>([:])

    init(_ gate: any PremiumGate, _ listener: PremiumListener) {
        self.gate = gate
        self.listener = listener
    }

    /// Asks for a feature; `not-licensed` where it is refused.
    func require(_ feature: PremiumFeature) throws(MediaError) {
        let verdict = gate.verdict(on: feature)
        let isNews = told.withLock { told in
            defer { told[feature] = verdict.reason }
            return told[feature] != verdict.reason
        }
        if isNews {
            Log.debug("license", verdict.message)
            listener.hear(verdict)
        }
        if !verdict.isValid { throw MediaError(.notLicensed, verdict.message) }
    }
}
