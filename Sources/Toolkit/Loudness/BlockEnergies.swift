// The K-weighted energies of a programme in steps of 100 ms, and what EBU R 128 makes of them.

internal import Glibc

/// The weighted energy of each 100 ms of a programme: all that its loudness figures need.
///
/// Small (36,000 numbers an hour) and additive: the blocks of several programmes together give the
/// loudness of the group, and a gain of *g* dB shifts every figure by *g* as long as it moves no
/// block over the absolute gate.
///
/// - Source: ITU-R BS.1770-4 (gating), EBU Tech 3341 (windows), EBU Tech 3342 (range).
public struct BlockEnergies: Hashable, Sendable {
    /// Mean weighted square of each 100 ms, oldest first; a last part under 100 ms is not in.
    public private(set) var steps: [Double] = []

    /// Blocks quieter than this never count, −70 LUFS.
    public static let absoluteGate = -70.0

    /// Makes the energies of a programme without blocks.
    public init() {}

    /// Appends the energy of 100 ms more.
    public mutating func append(_ energy: Double) { steps.append(energy) }

    /// The loudness of a mean weighted square, in LUFS.
    public static func loudness(_ energy: Double) -> Double {
        energy > 0 ? -0.691 + 10 * log10(energy) : -.infinity
    }

    /// The mean weighted square of a loudness in LUFS.
    public static func energy(_ loudness: Double) -> Double { pow(10, (loudness + 0.691) / 10) }

    /// Mean energies of windows of `length` steps, one each `hop` steps.
    func windows(length: Int, hop: Int = 1) -> [Double] {
        guard steps.count >= length else { return [] }
        return stride(from: 0, through: steps.count - length, by: hop).map { start in
            steps[start..<start + length].reduce(0, +) / Double(length)
        }
    }

    /// Integrated loudness in LUFS: absolute gate, then 10 LU under the mean of what passed.
    ///
    /// −∞ when nothing passes.
    public var integrated: Double { BlockEnergies.integrated([self]) }

    /// Integrated loudness of several programmes as one, in LUFS.
    public static func integrated(_ group: [BlockEnergies]) -> Double {
        let floor = energy(absoluteGate)
        let blocks = group.flatMap { $0.windows(length: 4) }.filter { $0 >= floor }
        guard !blocks.isEmpty else { return -.infinity }
        let gate = blocks.reduce(0, +) / Double(blocks.count) / 10
        let kept = blocks.filter { $0 >= gate }
        return loudness(kept.reduce(0, +) / Double(kept.count))
    }

    /// Loudness range in LU: between the 10th and the 95th percentile of short-term loudness.
    public var range: Double { BlockEnergies.range([self]) }

    /// Loudness range of several programmes as one, in LU.
    public static func range(_ group: [BlockEnergies]) -> Double {
        let floor = energy(absoluteGate)
        let blocks = group.flatMap { $0.windows(length: 30) }.filter { $0 >= floor }
        guard !blocks.isEmpty else { return 0 }
        let gate = blocks.reduce(0, +) / Double(blocks.count) / 100
        let kept = blocks.filter { $0 >= gate }.sorted()
        func percentile(_ part: Double) -> Double {
            loudness(kept[Int((Double(kept.count - 1) * part).rounded())])
        }
        return percentile(0.95) - percentile(0.10)
    }

    /// The loudest 400 ms in LUFS; −∞ for silence and programmes shorter than that.
    public var momentaryMaximum: Double {
        BlockEnergies.loudness(windows(length: 4).max() ?? 0)
    }

    /// The loudest 3 s in LUFS; −∞ for silence and programmes shorter than that.
    public var shortTermMaximum: Double {
        BlockEnergies.loudness(windows(length: 30).max() ?? 0)
    }
}
