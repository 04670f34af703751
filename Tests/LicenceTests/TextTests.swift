// Times and Base64: the one spelling, and nothing else.

import Foundation
import TestSupport
import Testing

@testable import Licence

@Suite("A1.1: texts in licences")
struct TextTests {
    @Test("times are read and written as Foundation does, over the whole range")
    func times() throws {
        let formatter = ISO8601DateFormatter()
        var random = SeededRandom(seed: 1)
        for _ in 0..<2000 {
            let seconds = Int64(random.next() % UInt64(UTCTime.last + 1))
            let text = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
            #expect(UTCTime(seconds: seconds).description == text)
            #expect(UTCTime(text)?.seconds == seconds)
        }
        #expect(UTCTime("9999-12-31T23:59:59Z")?.seconds == UTCTime.last)
        #expect(UTCTime("1970-01-01T00:00:00Z")?.seconds == 0)
        #expect(UTCTime("2024-02-29T00:00:00Z") != nil)
    }

    @Test(
        "what is no time is none",
        arguments: [
            "", "2026-11-30", "2026-11-30 12:00:00Z", "2026-11-30T12:00:00", "2026-11-30T12:00:00z",
            "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z", "2026-11-30T24:00:00Z", "2026-11-30T12:60:00Z",
            "2026-11-30T12:00:60Z", "1969-12-31T23:59:59Z", "2026-11-30T12:00:00+00:00",
            "٢026-11-30T12:00:00Z", "2026-1１-30T12:00:00Z", "-026-11-30T12:00:00Z",
        ])
    func noTimes(_ text: String) { #expect(UTCTime(text) == nil) }

    @Test("Base64 is Foundation's, and has one spelling")
    func base64() throws {
        var random = SeededRandom(seed: 2)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let text = Data(bytes).base64EncodedString()
            #expect(Base64.encode(bytes) == text)
            #expect(Base64.decode(text) == bytes)
        }
        for text in ["A", "AA", "AAA", "AB==", "AAB=", "AA=A", "====", "AAAA\n", " AAAA", "A-_A"] {
            #expect(Base64.decode(text) == nil, "\(text)")
        }
    }
}
