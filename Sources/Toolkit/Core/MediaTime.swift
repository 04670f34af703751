// Media time in nanoseconds: arithmetic, parsing, printing.

/// A span of or a point in media time, counted in nanoseconds from the start.
public struct MediaTime: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The count; about ±292 years.
    public var nanoseconds: Int64

    /// Makes a time of so many nanoseconds.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Makes a time of so many seconds, rounded to the nearest nanosecond and clamped to the range.
    public init(seconds: Double) {
        let scaled = (seconds * 1e9).rounded()
        if scaled.isNaN {
            nanoseconds = 0
        } else if scaled >= 9.2e18 {
            nanoseconds = .max
        } else {
            nanoseconds = scaled <= -9.2e18 ? .min : Int64(scaled)
        }
    }

    /// Makes a time of so many milliseconds, clamped to the range.
    public static func milliseconds(_ count: Int64) -> MediaTime {
        let (product, overflow) = count.multipliedReportingOverflow(by: 1_000_000)
        return MediaTime(nanoseconds: overflow ? (count < 0 ? .min : .max) : product)
    }

    /// The start.
    public static let zero = MediaTime(nanoseconds: 0)

    /// Seconds as a floating-point number.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Reads `12`, `12.5`, `1:02.5` or `1:02:03.25`; nil when the text is none of these.
    ///
    /// Digits and one point only; what follows a colon is below 60.
    public init?(text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), let last = parts.last,
            last.utf8.allSatisfy({ MediaTime.isDigit($0) || $0 == UInt8(ascii: ".") }),
            let seconds = Double(last), seconds.isFinite
        else { return nil }
        var total = 0.0
        for part in parts.dropLast() {
            guard part.utf8.allSatisfy(MediaTime.isDigit), let count = UInt32(part),
                part.startIndex == text.startIndex || count < 60
            else { return nil }
            total = (total + Double(count)) * 60
        }
        guard parts.count == 1 || seconds < 60 else { return nil }
        self.init(seconds: total + seconds)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Hours, minutes, seconds and milliseconds: `0:01:02.500`.
    public var description: String {
        let sign = nanoseconds < 0 ? "-" : ""
        let milliseconds = (nanoseconds.magnitude + 500_000) / 1_000_000
        let seconds = milliseconds / 1000
        func padded(_ number: UInt64, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return sign + "\(seconds / 3600):" + padded(seconds / 60 % 60, 2) + ":"
            + padded(seconds % 60, 2) + "." + padded(milliseconds % 1000, 3)
    }

    /// The earlier of the two is less.
    public static func < (a: MediaTime, b: MediaTime) -> Bool { a.nanoseconds < b.nanoseconds }
    /// The sum, clamped to the range.
    public static func + (a: MediaTime, b: MediaTime) -> MediaTime {
        let (sum, overflow) = a.nanoseconds.addingReportingOverflow(b.nanoseconds)
        return MediaTime(nanoseconds: overflow ? (b.nanoseconds < 0 ? .min : .max) : sum)
    }
    /// The difference, clamped to the range.
    public static func - (a: MediaTime, b: MediaTime) -> MediaTime {
        let (difference, overflow) = a.nanoseconds.subtractingReportingOverflow(b.nanoseconds)
        return MediaTime(nanoseconds: overflow ? (b.nanoseconds < 0 ? .max : .min) : difference)
    }
}
