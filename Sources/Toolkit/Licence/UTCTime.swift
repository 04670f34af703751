// Moments of the calendar in UTC, as text and as seconds.

internal import Glibc

/// A moment to the second, between the years 1970 and 9999.
///
/// - Source: ISO 8601 in the form `2026-11-30T12:00:00Z`; days by the proleptic Gregorian calendar.
public struct UTCTime: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Seconds since 1970-01-01T00:00:00Z, without leap seconds.
    public let seconds: Int64

    /// The last moment there is.
    static let last: Int64 = 253_402_300_799

    /// Takes seconds since 1970, brought into range.
    public init(seconds: Int64) { self.seconds = min(max(0, seconds), UTCTime.last) }

    /// What the machine's clock shows.
    public static var now: UTCTime { UTCTime(seconds: Int64(time(nil))) }

    /// Reads `2026-11-30T12:00:00Z` and nothing else; nil where a part is out of range.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        let pattern = Array("0000-00-00T00:00:00Z".utf8)
        guard bytes.count == pattern.count else { return nil }
        for (byte, wanted) in zip(bytes, pattern) {
            let isDigit = (0x30...0x39).contains(byte)
            guard wanted == 0x30 ? isDigit : byte == wanted else { return nil }
        }
        func number(_ range: Range<Int>) -> Int64 {
            bytes[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard year >= 1970, (1...12).contains(month), day >= 1,
            day <= UTCTime.days(in: month, year), hour < 24, minute < 60, second < 60
        else { return nil }
        seconds =
            UTCTime.days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second
    }

    /// `2026-11-30T12:00:00Z`.
    public var description: String {
        let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86400)
        let (year, month, day) = UTCTime.date(days)
        func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
        return "\(year)-\(two(month))-\(two(day))T\(two(rest / 3600)):\(two(rest / 60 % 60)):"
            + "\(two(rest % 60))Z"
    }

    /// The earlier one is less.
    public static func < (a: UTCTime, b: UTCTime) -> Bool { a.seconds < b.seconds }

    /// So many seconds later.
    public static func + (time: UTCTime, seconds: Int64) -> UTCTime {
        UTCTime(seconds: time.seconds + seconds)
    }

    private static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func days(in month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 to a date; a year is counted from March, so that a leap day is its last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let inYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + inYear - 719_468
    }

    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        var year = 1970 + days / 366
        while self.days(year + 1, 1, 1) <= days { year += 1 }
        var rest = days - self.days(year, 1, 1)
        var month: Int64 = 1
        while rest >= self.days(in: month, year) {
            rest -= self.days(in: month, year)
            month += 1
        }
        return (year, month, rest + 1)
    }
}
