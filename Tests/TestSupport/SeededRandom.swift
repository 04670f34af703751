// The same random numbers everywhere.

/// A small random number generator that gives the same numbers everywhere.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts the sequence of `seed`.
    public init(seed: UInt64) {
        // Scrambled, or neighbouring seeds would give the same numbers one step apart.
        state = seed
        state = next() ^ 0x2545_F491_4F6C_DD1D
    }

    /// The next 64 bits (SplitMix64).
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number in −1…1.
    public mutating func unit() -> Float { Float(Int64(bitPattern: next()) >> 40) / Float(1 << 23) }
}
