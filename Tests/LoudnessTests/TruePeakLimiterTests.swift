// The limiter: ceiling, transparency, alignment.

import Loudness
import TestSupport
import Testing

@Suite("True-peak limiter (issue: limited only where true peak demands it)")
struct TruePeakLimiterTests {
    /// Runs a signal through in pieces of `lengths`, repeated.
    static func limit(
        _ signal: Signal, gain: Double, ceiling: Double = -1, lengths: [Int] = [4096]
    ) -> (signal: Signal, reduction: Double, broken: Int) {
        let limiter = TruePeakLimiter(
            sampleRate: signal.rate, channels: signal.planes.count, ceiling: ceiling)
        let ratio = decibelsToRatio(gain)
        let room = signal.frames + limiter.latency
        let planes = signal.planes.map { _ in
            UnsafeMutablePointer<Float>.allocate(capacity: room)
        }
        defer { for plane in planes { plane.deallocate() } }
        var (done, written, turn) = (0, 0, 0)
        while done < signal.frames {
            let count = min(lengths[turn % lengths.count], signal.frames - done)
            written += signal.withPointers { pointers in
                limiter.process(
                    pointers.map { $0 + done }, frames: count, gain: ratio,
                    into: planes.map { $0 + written })
            }
            done += count
            turn += 1
        }
        written += limiter.drain(into: planes.map { $0 + written })
        let result = planes.map { Array(UnsafeBufferPointer(start: $0, count: written)) }
        return (
            Signal(result, rate: signal.rate), limiter.largestReduction, limiter.brokenSamples
        )
    }

    @Test("FFmpeg finds no peak above the ceiling + 0.05 dB", arguments: 0..<8)
    func ceiling(index: Int) throws {
        let cases: [(String, Double, () throws -> Signal)] = [
            ("stereo", 6, { .noise(level: -1, seconds: 2) }),
            ("stereo", 6, { .noise(level: -1, seconds: 2, rate: 44_100) }),
            ("stereo", 6, { .noise(level: -1, seconds: 2, rate: 96_000) }),
            ("stereo", 6, { .sine(12_000, level: -1, seconds: 2, phase: 45) }),
            ("mono", 12, { try .speech(seconds: 4) }),
            ("stereo", 12, { .music(seconds: 4, rate: 44_100) }),
            ("5.1", 9, { .music(seconds: 3, channels: 6) }),
            ("stereo", 12, { .sine(60, level: 0, seconds: 2) }),
        ]
        let (layout, gain, make) = cases[index]
        let signal = try make()
        let result = TruePeakLimiterTests.limit(signal, gain: gain)
        #expect(result.signal.frames == signal.frames)
        #expect(result.reduction > 1)
        let judge = try LoudnessJudgement(result.signal, layout: layout)
        #expect(judge.truePeak <= -0.95)
        #expect(judge.truePeak >= -1.3)
    }

    @Test("under the ceiling the samples are input × gain, bit for bit, in place")
    func transparent() {
        let signal = Signal.noise(level: -20, seconds: 0.5)
        let result = TruePeakLimiterTests.limit(signal, gain: 6)
        let ratio = Float(decibelsToRatio(6))
        #expect(result.reduction == 0)
        #expect(
            result.signal.isSame(
                as: Signal(signal.planes.map { $0.map { $0 * ratio } }, rate: 48_000)))
    }

    @Test("a single peak is turned down and everything far from it stays bit for bit")
    func localEffect() {
        var signal = Signal.sine(440, level: -12, seconds: 2)
        for i in 48_000..<48_040 { signal.planes[1][i] *= 6 }
        let result = TruePeakLimiterTests.limit(signal, gain: 0).signal
        let isSame = zip(result.planes[0], signal.planes[0]).map { $0 == $1 }
        #expect(isSame[..<47_700].allSatisfy { $0 })
        #expect(isSame[90_000...].allSatisfy { $0 })
        // Linked: the left channel is turned down where the right one has the peak.
        #expect(abs(result.planes[0][48_020]) < 0.9 * abs(signal.planes[0][48_020]))
    }

    @Test(
        "the result does not depend on how the signal is cut",
        arguments: [[1], [7, 512, 3], [1024]])
    func cuts(lengths: [Int]) {
        let signal = Signal.music(seconds: 1)
        let whole = TruePeakLimiterTests.limit(signal, gain: 9, lengths: [signal.frames])
        let pieces = TruePeakLimiterTests.limit(signal, gain: 9, lengths: lengths)
        #expect(pieces.signal.isSame(as: whole.signal))
    }

    @Test(
        "nothing is lost of signals shorter than the look-ahead",
        arguments: [1, 100, 254, 255, 256])
    func short(frames: Int) {
        let signal = Signal.noise(level: 0, seconds: 1).cut(0..<frames)
        let result = TruePeakLimiterTests.limit(signal, gain: -20)
        let ratio = Float(decibelsToRatio(-20))
        #expect(
            result.signal.isSame(
                as: Signal(signal.planes.map { $0.map { $0 * ratio } }, rate: 48_000)))
    }

    @Test("silence stays silence")
    func silence() {
        let result = TruePeakLimiterTests.limit(.silence(seconds: 0.2), gain: 40)
        #expect(result.signal.isSilent)
    }

    @Test("broken samples become 0, are counted, and what follows is as if they had been 0")
    func brokenSamples() {
        var signal = Signal.music(seconds: 0.5)
        var mended = signal
        for (i, value) in [Float.nan, .infinity, -.infinity, 1e20].enumerated() {
            signal.planes[0][5000 + 100 * i] = value
            mended.planes[0][5000 + 100 * i] = 0
        }
        let result = TruePeakLimiterTests.limit(signal, gain: 9)
        #expect(result.broken == 4)
        #expect(
            result.signal.isSame(as: TruePeakLimiterTests.limit(mended, gain: 9).signal))
    }
}
