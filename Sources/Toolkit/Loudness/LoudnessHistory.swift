// The energies of the last seconds of a running programme.

/// Keeps the newest 100 ms energies up to a limit and tells their gated loudness.
struct LoudnessHistory {
    private let limit: Int
    private var steps: [Double] = []

    init(limit: Int) {
        self.limit = limit
        steps.reserveCapacity(limit + 1)
    }

    var count: Int { steps.count }

    mutating func append(_ energy: Double) {
        steps.append(energy)
        if steps.count > limit { steps.removeFirst() }
    }

    mutating func restart() { steps.removeAll(keepingCapacity: true) }

    /// Whether the newest 400 ms are above the absolute gate.
    var isActive: Bool { mean(last: 4) >= BlockEnergies.energy(BlockEnergies.absoluteGate) }

    /// The loudness of the last 400 ms (or what there is of them).
    var momentary: Double { BlockEnergies.loudness(mean(last: 4)) }

    /// The loudness of the last 3 s (or what there is of them).
    var shortTerm: Double { BlockEnergies.loudness(mean(last: 30)) }

    /// Integrated loudness of what is held; before the first 400 ms, of what there is.
    var gated: Double {
        guard steps.count >= 4 else { return BlockEnergies.loudness(mean(last: 4)) }
        var blocks = BlockEnergies()
        for step in steps { blocks.append(step) }
        return blocks.integrated
    }

    private func mean(last count: Int) -> Double {
        let newest = steps.suffix(count)
        return newest.isEmpty ? 0 : newest.reduce(0, +) / Double(newest.count)
    }
}
