// Files for the example codec in C.

/// A `.toy` file and the samples in it.
public struct ToyFile: Sendable {
    /// The file.
    public let bytes: [UInt8]
    /// Its samples, channels alternating.
    public let samples: [Int16]

    /// Makes a file of noise at 44.1 kHz.
    ///
    /// - Parameter packets: how many samples each packet has in every channel.
    public init(packets: [Int], channels: Int) {
        var random = SeededRandom(seed: 5)
        var bytes = Array("TOY1".utf8) + [0x44, 0xAC, 0, 0, UInt8(channels)]
        var samples: [Int16] = []
        for count in packets {
            bytes += [UInt8(count & 0xFF), UInt8(count >> 8)]
            var sums = [UInt16](repeating: 0, count: channels)
            for i in 0..<count * channels {
                let value = UInt16(truncatingIfNeeded: Int(random.unit() * 30_000))
                let difference = value &- sums[i % channels]
                sums[i % channels] = value
                bytes += [UInt8(difference & 0xFF), UInt8(difference >> 8)]
                samples.append(Int16(bitPattern: value))
            }
        }
        self.bytes = bytes
        self.samples = samples
    }
}
