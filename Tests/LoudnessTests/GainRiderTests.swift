// The live normaliser: loudness within ±1.5 LU, pauses, cuts.

import Loudness
import MediaModel
import TestSupport
import Testing

@Suite("Live mode: one pass, within ±1.5 LU over 60 s (issue: quality of sound)")
struct GainRiderTests {
    static func ride(
        _ signal: Signal, layout: ChannelLayout, target: Double, lengths: [Int] = [4800]
    ) throws -> Signal {
        let rider = try GainRider(
            sampleRate: signal.rate, layout: layout,
            target: LoudnessTarget(integrated: target, truePeak: -1))
        let planes = signal.planes.map { plane in
            let copy = UnsafeMutablePointer<Float>.allocate(capacity: plane.count + rider.latency)
            for (i, sample) in plane.enumerated() { copy[i] = sample }
            return copy
        }
        defer { for plane in planes { plane.deallocate() } }
        var (done, written, turn) = (0, 0, 0)
        while done < signal.frames {
            // In place: what comes out never overtakes what goes in.
            let count = min(lengths[turn % lengths.count], signal.frames - done)
            written += rider.process(
                planes.map { UnsafePointer($0 + done) }, frames: count,
                into: planes.map { $0 + written })
            done += count
            turn += 1
        }
        written += rider.drain(into: planes.map { $0 + written })
        return Signal(
            planes.map { Array(UnsafeBufferPointer(start: $0, count: written)) }, rate: signal.rate)
    }

    @Test("60 s end within ±1.5 LU of the target, peaks under the ceiling", arguments: 0..<6)
    func onTarget(index: Int) throws {
        let rate = 16_000
        let cases: [(Double, () throws -> Signal)] = [
            (-16, { try .speech(seconds: 60, rate: rate) }),
            (-23, { try .speech(seconds: 60, rate: rate).amplified(-30) }),
            (-16, { .music(seconds: 60, rate: rate, channels: 1).amplified(-20) }),
            (-14, { .noise(level: -1, seconds: 60, channels: 1, rate: rate) }),
            (
                -16,
                {
                    Signal.music(seconds: 30, rate: rate, channels: 1).amplified(-15)
                        .followed(by: .music(seconds: 30, rate: rate, channels: 1))
                }
            ),
            (
                -16,
                {
                    Signal.music(seconds: 30, rate: rate, channels: 1)
                        .followed(by: .music(seconds: 30, rate: rate, channels: 1).amplified(-15))
                }
            ),
        ]
        let (target, make) = cases[index]
        let signal = try make()
        let result = try GainRiderTests.ride(signal, layout: .mono, target: target)
        #expect(result.frames == signal.frames)
        let whole = try LoudnessJudgement(result, layout: "mono")
        #expect(abs(whole.integrated - target) <= 1.5)
        #expect(whole.truePeak <= -0.9)
        let afterOneSecond = try LoudnessJudgement(result.cut(rate..<result.frames), layout: "mono")
        #expect(abs(afterOneSecond.integrated - target) <= 1.5)
    }

    @Test("a pause does not raise the gain")
    func pause() throws {
        let noise = Signal.noise(level: -80, seconds: 10, channels: 1, rate: 16_000)
        let signal = Signal.music(seconds: 5, rate: 16_000, channels: 1).followed(by: noise)
        let result = try GainRiderTests.ride(signal, layout: .mono, target: -14)
        let ratio = (result.planes[0].last ?? 0) / (signal.planes[0].last ?? 1)
        let early = result.planes[0][90_000] / signal.planes[0][90_000]
        #expect(abs(ratio / early - 1) < 0.01)
    }

    @Test("silence stays silence")
    func silence() throws {
        let result = try GainRiderTests.ride(.silence(seconds: 2), layout: .stereo, target: -14)
        #expect(result.isSilent)
    }

    @Test(
        "the result does not depend on how the signal is cut",
        arguments: [[1], [7, 900], [44_100]])
    func cuts(lengths: [Int]) throws {
        let signal = Signal.music(seconds: 1, rate: 44_100)
        let whole = try GainRiderTests.ride(
            signal, layout: .stereo, target: -9, lengths: [signal.frames])
        let pieces = try GainRiderTests.ride(
            signal, layout: .stereo, target: -9, lengths: lengths)
        #expect(pieces.isSame(as: whole))
    }
}
