// The clock on a time that the test moves.

import MediaCore
import Playback
import TestSupport
import Testing

@Suite("Playback clock")
struct PlaybackClockTests {
    private let time = ManualTimeSource()

    @Test func itMovesOnlyWhileItRuns() {
        let clock = PlaybackClock(time, isFree: false)
        clock.enter(Epoch(1), at: MediaTime(seconds: 5))
        time.advance(by: MediaTime(seconds: 1))
        #expect(clock.position == MediaTime(seconds: 5))
        clock.run()
        time.advance(by: MediaTime(seconds: 2))
        #expect(clock.position == MediaTime(seconds: 7))
        clock.stop()
        time.advance(by: MediaTime(seconds: 2))
        #expect(clock.position == MediaTime(seconds: 7))
        clock.run()
        clock.run()
        time.advance(by: MediaTime(seconds: 1))
        #expect(clock.position == MediaTime(seconds: 8))
    }

    @Test func aFreeClockFollowsWhatIsWritten() {
        let clock = PlaybackClock(time, isFree: true)
        clock.enter(Epoch(1), at: .zero)
        clock.run()
        time.advance(by: MediaTime(seconds: 9))
        #expect(clock.position == .zero)
        clock.note(written: MediaTime(seconds: 3), epoch: Epoch(1))
        clock.note(written: MediaTime(seconds: 8), epoch: Epoch(0))
        #expect(clock.position == MediaTime(seconds: 3))
        #expect(clock.wait(until: MediaTime(seconds: 100), lead: .zero, epoch: Epoch(1)))
    }

    @Test("a stalled clock lets late frames pass, a stopped one none")
    func stalled() {
        let clock = PlaybackClock(time, isFree: false)
        clock.enter(Epoch(1), at: .zero)
        clock.run()
        time.advance(by: MediaTime(seconds: 2))
        clock.stall()
        #expect(clock.position == MediaTime(seconds: 2))
        #expect(clock.wait(until: MediaTime(seconds: 2), lead: .zero, epoch: Epoch(1)))
        #expect(!clock.wait(until: MediaTime(seconds: 3), lead: .zero, epoch: Epoch(1)) { true })
        var looks = 0
        clock.stop()
        let passes = clock.wait(until: MediaTime(seconds: 1), lead: .zero, epoch: Epoch(1)) {
            looks += 1
            if looks == 1 { clock.wake() }
            return looks == 2
        }
        #expect(!passes)
        #expect(looks == 2)
    }

    @Test("a frame waits until it is due, a seek or a close sends it away")
    func frames() {
        let clock = PlaybackClock(time, isFree: false)
        clock.enter(Epoch(1), at: .zero)
        clock.run()
        let answers = Monitor<[String]>([])
        func wait(_ name: String, _ epoch: Int) -> WorkerThread {
            WorkerThread("mk-test") {
                let isDue = clock.wait(
                    until: MediaTime(seconds: 1), lead: .milliseconds(40), epoch: Epoch(epoch))
                answers.withLock { $0.append("\(name) \(isDue)") }
            }
        }
        let due = wait("due", 1)
        time.advance(by: .milliseconds(950))
        clock.wake()
        #expect(answers.wait(until: soon(0.1)) { $0.isEmpty ? nil : true } == nil)
        time.advance(by: .milliseconds(10))
        clock.wake()
        due.join()
        clock.enter(Epoch(2), at: .zero)
        wait("stale", 1).join()
        let held = wait("held", 2)
        clock.close()
        held.join()
        #expect(answers.withLock { $0 } == ["due true", "stale false", "held false"])
    }

    private func soon(_ seconds: Double) -> MediaTime {
        SystemTimeSource().now + MediaTime(seconds: seconds)
    }
}
