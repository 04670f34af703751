// A picture as a value that can be compared.

public import MediaModel

/// The time of a picture and a sum of its bytes.
public struct PictureMark: Hashable, Sendable, CustomStringConvertible {
    /// When it is shown, in ticks.
    public let pts: Int64?
    /// A sum of its pixels, without padding.
    public let sum: UInt64

    /// Reads a picture.
    public init(_ frame: Frame) {
        pts = frame.pts
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for plane in 0..<3 {
            frame.withPictureRows(plane) { row in
                for byte in row { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
            }
        }
        self.sum = sum
    }

    /// The time.
    public var description: String { pts.map { "\($0)" } ?? "?" }
}
