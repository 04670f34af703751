// Media time and time bases.

import MediaCore
import Testing

@Suite struct MediaTimeTests {
    @Test(arguments: [
        ("12", 12.0), ("12.5", 12.5), ("1:02.5", 62.5), ("1:02:03.25", 3723.25), ("0", 0),
    ])
    func readsClockTexts(_ text: String, _ seconds: Double) {
        #expect(MediaTime(text: text)?.seconds == seconds)
    }

    @Test(arguments: [
        "", "-1", "1:", "1:75", "a", "1:2:3:4", "nan", "inf", "0x10", "1e3", "1:+2:03", "1:99:00",
        " 1", "+1", ".", ":1",
    ])
    func refusesOtherTexts(_ text: String) {
        #expect(MediaTime(text: text) == nil)
    }

    @Test func printsHoursMinutesSeconds() {
        #expect(MediaTime(seconds: 3723.25).description == "1:02:03.250")
        #expect(MediaTime(seconds: -0.5).description == "-0:00:00.500")
    }

    @Test func arithmeticClamps() {
        let most = MediaTime(nanoseconds: .max)
        #expect(most + .milliseconds(1) == most)
        #expect(MediaTime(nanoseconds: .min) - .milliseconds(1) == MediaTime(nanoseconds: .min))
        #expect(MediaTime(seconds: .nan) == .zero)
        #expect(MediaTime.milliseconds(.max / 1000) == most)
        #expect(MediaTime.milliseconds(.min) == MediaTime(nanoseconds: .min))
    }

    @Test func ticksRoundToNearest() {
        let base = TimeBase(1, 44100)
        #expect(base.time(ticks: 44100).seconds == 1)
        for ticks in [Int64(0), 1, 44099, 1 << 40, -17] {
            #expect(base.ticks(base.time(ticks: ticks)) == ticks)
        }
        #expect(TimeBase(1, 1000).rescale(1, to: TimeBase(1, 90000)) == 90)
        #expect(TimeBase(1, 3).rescale(1, to: TimeBase(1, 2)) == 1)
        #expect(TimeBase(1, 1).rescale(.max, to: TimeBase(1, 1000)) == .max)
    }
}
