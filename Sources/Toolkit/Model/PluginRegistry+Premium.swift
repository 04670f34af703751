// Premium features of the plugins: asked for in one place, whoever uses them.

public import MediaCore

extension PluginRegistry {
    /// What decides on premium features.
    public var gate: any PremiumGate { premium.gate }

    /// Calls `handler` when a run or a player first uses a premium feature, on the thread that does;
    /// it only passes the verdict on.
    ///
    /// - Throws: `invalid-state` once a player, a batch or a measurement was made.
    public func onPremium(
        _ handler: @escaping @Sendable (PremiumVerdict) -> Void
    ) throws(MediaError) {
        try premium.listener.set(handler)
    }

    /// The same plugins and the same gate with a listener of their own, beside the present one.
    public func withListener() -> PluginRegistry {
        PluginRegistry(
            sharing: self, premium: PremiumUse(gate, PremiumListener(within: premium.listener)),
            isRun: false)
    }

    /// The same plugins for one player or run, which is told of each premium feature once; what is
    /// part of a run goes on with its registry.
    package func forRun() -> PluginRegistry {
        if isRun { return self }
        premium.listener.begin()
        return PluginRegistry(
            sharing: self, premium: PremiumUse(gate, premium.listener), isRun: true)
    }

    /// Asks for a premium feature; `not-licensed` with what to do where it is refused.
    public func require(_ feature: PremiumFeature) throws(MediaError) {
        try premium.require(feature)
    }

    /// Asks for what decoding a stream needs, whatever decodes it.
    package func admit(_ stream: StreamInfo) throws(MediaError) {
        guard let feature = PremiumFeature(decoding: stream.parameters.codecName) else { return }
        do throws(MediaError) {
            try require(feature)
        } catch {
            throw error.prefixed("\(stream.kind.rawValue) stream \(stream.index)")
        }
    }

    /// Why no other URL may stand in for a stream that can't be decoded well; nil where one may.
    ///
    /// What is asked for is the adaptation of H.265; going over from other codecs is free, so that
    /// what is refused for want of a licence can be replaced.
    package func refusal(ofBackupFor stream: StreamInfo) -> MediaError? {
        guard stream.parameters.codecName == "hevc" else { return nil }
        do throws(MediaError) {
            try require(.h265Adaptive)
            return nil
        } catch {
            return error
        }
    }

    /// Asks for what filters need, those that are off excepted.
    package func admit(_ filters: [FilterSpec]) throws(MediaError) {
        for spec in filters where spec.isEnabled {
            guard case .named(let name, _) = spec.body, let feature = filter(named: name)?.premium
            else { continue }
            do throws(MediaError) {
                try require(feature)
            } catch {
                throw error.prefixed("filter \(spec.title)")
            }
        }
    }
}
