// How a picture is laid out.

/// Size and pixel format of a video stream.
public struct VideoFormat: Hashable, Sendable, CustomStringConvertible {
    /// Width in pixels, as shown.
    public var width: Int
    /// Height in pixels, as shown.
    public var height: Int
    /// FFmpeg's name of the pixel format: `yuv420p`, `rgb24`, …; `unknown` where nobody knows it.
    public var pixelFormat: String
    /// The shape of a pixel, width over height; 1/1 where unknown.
    public var sampleAspectRatio: Ratio

    /// Joins the facts.
    public init(
        width: Int, height: Int, pixelFormat: String, sampleAspectRatio: Ratio = .one
    ) {
        self.width = width
        self.height = height
        self.pixelFormat = pixelFormat
        self.sampleAspectRatio = sampleAspectRatio
    }

    /// `1280x720, yuv420p`.
    public var description: String {
        pixelFormat == "unknown" ? "\(width)x\(height)" : "\(width)x\(height), \(pixelFormat)"
    }
}

/// A fraction that is no time: a frame rate or a pixel's shape.
public struct Ratio: Hashable, Sendable, CustomStringConvertible {
    /// The upper number.
    public let numerator: Int32
    /// The lower number.
    public let denominator: Int32

    /// Makes a fraction.
    public init(_ numerator: Int32, _ denominator: Int32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// 1/1.
    public static let one = Ratio(1, 1)

    /// The quotient; 0 where the lower number is 0.
    public var value: Double { denominator == 0 ? 0 : Double(numerator) / Double(denominator) }

    /// `25/1`.
    public var description: String { "\(numerator)/\(denominator)" }
}
