// Timestamps of sound: no drift from rounding, real gaps kept, jumps back mended.

import Glibc
import MediaCore
import MediaModel
import Pipeline
import Testing

@Suite("Timestamps of decoded sound")
struct AudioTimelineTests {
    private let format = AudioFormat(sampleRate: 44_100, layout: .mono)

    private func stamp(
        _ timeline: inout AudioTimeline, _ ticks: Int64?, _ base: TimeBase, count: Int = 1024
    ) -> Int64? {
        let frame = Frame.makeAudio(format, sampleCount: count, pts: nil)
            .stamped(pts: ticks, timeBase: base)
        return timeline.stamp(frame, rate: 44_100).pts
    }

    @Test func millisecondsOfAContainerGiveUnbrokenSamples() {
        var timeline = AudioTimeline()
        let milliseconds = TimeBase(1, 1000)
        for index in 0..<2000 {
            let exact = Int64(index) * 1024
            let rounded = (exact * 1000 + 22_050) / 44_100
            #expect(stamp(&timeline, rounded, milliseconds) == exact)
        }
    }

    @Test func aRealGapStays() {
        var timeline = AudioTimeline()
        let milliseconds = TimeBase(1, 1000)
        #expect(stamp(&timeline, 0, milliseconds) == 0)
        #expect(stamp(&timeline, 5000, milliseconds) == 220_500)
    }

    @Test(
        "timestamps jumping back (bad input): sound goes on where it was, once and for all",
        arguments: [1, 10, 3600])
    func aJumpBackIsMended(seconds: Int64) {
        var timeline = AudioTimeline()
        let samples = TimeBase(1, 44_100)
        let start = seconds * 44_100 * 2
        #expect(stamp(&timeline, start, samples) == start)
        #expect(timeline.jump == nil)
        let back = start + 1024 - seconds * 44_100
        #expect(stamp(&timeline, back, samples) == start + 1024)
        #expect(timeline.jump == MediaTime(seconds: Double(seconds)))
        #expect(stamp(&timeline, back + 1024, samples) == start + 2048)
        #expect(timeline.jump == nil)
    }

    @Test("times that jump as far as can be, again and again, overflow nothing")
    func absurdJumps() async {
        await #expect(processExitsWith: .success) {
            let rates = [8_000, 192_000, 8_000]
            for base in [TimeBase(1, 1), TimeBase(1, 44_100), TimeBase(1, .max)] {
                var timeline = AudioTimeline(origin: MediaTime(nanoseconds: -(1 << 61)))
                for step in 0..<30 {
                    let far: Int64 = step % 2 == 0 ? 1 << 61 : -(1 << 61)
                    let frame = Frame.makeAudio(
                        AudioFormat(sampleRate: 44_100, layout: .mono), sampleCount: 1024, pts: nil)
                    _ = timeline.stamp(
                        frame.stamped(pts: far, timeBase: base), rate: rates[step / 10])
                }
            }
            exit(0)
        }
    }

    @Test func framesWithoutTimeFollowEachOther() {
        var timeline = AudioTimeline()
        let samples = TimeBase(1, 44_100)
        #expect(stamp(&timeline, nil, samples) == 0)
        #expect(stamp(&timeline, nil, samples) == 1024)
    }

    @Test func timeCountsFromTheContainersStart() {
        var timeline = AudioTimeline(origin: MediaTime(seconds: 1.4))
        #expect(stamp(&timeline, 126_000, TimeBase(1, 90_000)) == 0)
    }

    @Test func aSeekForgetsWhatWasExpected() {
        var timeline = AudioTimeline()
        let samples = TimeBase(1, 44_100)
        #expect(stamp(&timeline, 441_000, samples) == 441_000)
        timeline.reset()
        #expect(stamp(&timeline, 0, samples) == 0)
        #expect(timeline.jump == nil)
    }
}
