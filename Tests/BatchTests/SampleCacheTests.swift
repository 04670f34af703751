// How much decoded sound is kept.

import MediaCore
import MediaModel
import TestSupport
import Testing

@testable import Batch

@Suite("Issue 2, memory: decoded sound within a budget")
struct SampleCacheTests {
    private let frame = Frame.makeAudio(
        AudioFormat(sampleRate: 48_000, layout: .stereo), sampleCount: 1000, pts: 0)

    @Test("what fits is kept whole, what does not is let go whole, and the budget comes back")
    func budget() {
        let budget = SampleBudget(20_000)
        do {
            let fits = SampleCache(budget)
            for _ in 0..<2 { fits.keep(frame) }
            #expect(fits.frames?.count == 2)
            #expect(!budget.reserve(4_001))
            let second = SampleCache(budget)
            second.keep(frame)
            #expect(second.frames == nil)
            fits.keep(frame)
            #expect(fits.frames == nil)
            #expect(budget.reserve(20_000))
            budget.release(20_000)
        }
        let long = SampleCache(budget)
        long.keep(frame)
        long.expect(30_000)
        #expect(long.frames == nil)
        #expect(budget.reserve(20_000))
    }
}
