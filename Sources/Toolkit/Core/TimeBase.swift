// Rational ticks, their media time, and the rounding rule.

/// The length of one tick in seconds, as a fraction.
public struct TimeBase: Hashable, Sendable, CustomStringConvertible {
    /// The upper number of the fraction.
    public let numerator: Int32
    /// The lower number of the fraction; never zero.
    public let denominator: Int32

    /// Makes `numerator / denominator` seconds; a denominator of zero counts as one.
    public init(_ numerator: Int32, _ denominator: Int32) {
        self.numerator = numerator
        self.denominator = denominator == 0 ? 1 : denominator
    }

    /// The media time of a tick, rounded to the nearest nanosecond, halves away from zero.
    public func time(ticks: Int64) -> MediaTime {
        MediaTime(
            nanoseconds: TimeBase.scale(
                ticks, by: Int64(numerator) * 1_000_000_000, over: Int64(denominator)))
    }

    /// The tick nearest to a media time, halves away from zero.
    public func ticks(_ time: MediaTime) -> Int64 {
        TimeBase.scale(
            time.nanoseconds, by: Int64(denominator), over: Int64(numerator) * 1_000_000_000)
    }

    /// The same moment counted in ticks of another base.
    public func rescale(_ ticks: Int64, to other: TimeBase) -> Int64 {
        TimeBase.scale(
            ticks, by: Int64(numerator) * Int64(other.denominator),
            over: Int64(denominator) * Int64(other.numerator))
    }

    /// The tick that lies so much later, clamped to the range.
    public func moved(_ ticks: Int64, by time: MediaTime) -> Int64 {
        let (sum, overflow) = ticks.addingReportingOverflow(self.ticks(time))
        return overflow ? (ticks < 0 ? .min : .max) : sum
    }

    /// Whether so many ticks are more than any medium can mean, so that sums of a few such times
    /// would overflow; 73 years are not, so that times counted from 1970 stay.
    public func isAbsurd(_ ticks: Int64) -> Bool {
        max(ticks.magnitude, time(ticks: ticks).nanoseconds.magnitude) > 1 << 61
    }

    /// `1/48000`.
    public var description: String { "\(numerator)/\(denominator)" }

    private static func scale(_ value: Int64, by factor: Int64, over divisor: Int64) -> Int64 {
        guard divisor != 0 else { return 0 }
        let product = value.magnitude.multipliedFullWidth(by: factor.magnitude)
        let half = divisor.magnitude / 2
        let (low, carry) = product.low.addingReportingOverflow(half)
        let high = product.high + (carry ? 1 : 0)
        let negative = ((value < 0) != (factor < 0)) != (divisor < 0)
        guard high < divisor.magnitude else { return negative ? .min : .max }
        let quotient = divisor.magnitude.dividingFullWidth((high, low)).quotient
        if negative { return quotient > UInt64(Int64.max) ? .min : -Int64(quotient) }
        return Int64(clamping: quotient)
    }
}
