// Dialogue enhancement on speech in the middle of noise.

import Filters
import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("Dialogue enhancement (A8.6; issue: quality of sound)")
struct DialogueQualityTests {
    enum Noise: Sendable { case white, pink }

    /// Speech in the middle over noise that is another one left and right; `share` in dB.
    static func mix(seconds: Double = 3, speechOverNoise share: Double, _ noise: Noise = .white)
        throws -> (mix: Signal, voice: [Float])
    {
        let speech = try Signal.speech(seconds: seconds, channels: 2).amplified(-12)
        let raw =
            switch noise {
            case .white: Signal.noise(level: -10, seconds: seconds)
            case .pink: Signal.pinkNoise(seconds: seconds)
            }
        let noise = raw.amplified(level(speech.planes[0]) - level(raw.planes[0]) - share)
        return (speech.mixed(with: noise), speech.planes[0])
    }

    @Test(
        "speech over background rises with every step, by 6 dB or more at 10; the side stays",
        arguments: [(Noise.white, -3.0), (.white, 3), (.pink, -6), (.pink, -3), (.pink, 0)])
    func steps(noise: Noise, share: Double) throws {
        let (mix, voice) = try DialogueQualityTests.mix(speechOverNoise: share, noise)
        let before = voiceToRest(mix.middle, voice: voice)
        let sideBefore = level(mix.side)
        var last = before.ratio
        for step in 1...10 {
            let run = try FilterRun(
                DialogueEnhance(), ["dialoguenhance_voice": .double(Double(step))], mix,
                layout: "stereo")
            let found = voiceToRest(run.signal.middle, voice: voice)
            #expect(found.ratio > last, "step \(step)")
            last = found.ratio
            #expect(abs(level(run.signal.side) - sideBefore) < 0.5)
            if step == 10 {
                #expect(found.ratio - before.ratio >= 6)
                #expect(found.gain >= 6)
                // Against the whole of the left channel, side and all.
                let left = voiceToRest(run.signal.planes[0], voice: voice).ratio
                #expect(left - voiceToRest(mix.planes[0], voice: voice).ratio >= 6)
            }
        }
    }

    @Test("the same as a part of audioEnhance")
    func partOfAudioEnhance() throws {
        let (mix, voice) = try DialogueQualityTests.mix(seconds: 3, speechOverNoise: 0)
        let run = try FilterRun(
            AudioEnhance(),
            ["enable_dialoguenhance": .bool(true), "dialoguenhance_voice": .double(10)], mix,
            layout: "stereo")
        let gained =
            voiceToRest(run.signal.middle, voice: voice).ratio
            - voiceToRest(mix.middle, voice: voice).ratio
        #expect(gained >= 6)
    }

    @Test("mono: voice rises over a steady background")
    func mono() throws {
        let (mix, voice) = try DialogueQualityTests.mix(seconds: 6, speechOverNoise: 6)
        let mono = Signal([mix.planes[0]], rate: mix.rate)
        let run = try FilterRun(
            DialogueEnhance(), ["dialoguenhance_voice": .double(10)], mono, layout: "mono")
        let gained =
            voiceToRest(run.signal.planes[0], voice: voice).ratio
            - voiceToRest(mono.planes[0], voice: voice).ratio
        #expect(gained >= 3)
    }

    @Test(
        "5.1 and 7.1: the centre is lifted, every other channel stays", arguments: ["5.1", "7.1"])
    func surroundLayouts(layout: String) throws {
        let count = try #require(ChannelLayout(named: layout)).channelCount
        let speech = try Signal.speech(seconds: 3).amplified(-12)
        let noise = Signal.noise(level: -45, seconds: 3, channels: count)
        var mix = noise
        mix.planes[2] = zip(noise.planes[2], speech.planes[0]).map { $0 + $1 }
        let run = try FilterRun(
            DialogueEnhance(), ["dialoguenhance_voice": .double(10)], mix, layout: layout)
        #expect(voiceToRest(run.signal.planes[2], voice: speech.planes[0]).gain >= 6)
        for channel in 3..<count {
            #expect(run.signal.planes[channel] == mix.planes[channel], "channel \(channel)")
        }
        for channel in 0..<2 {
            let changed = level(run.signal.planes[channel]) - level(mix.planes[channel])
            #expect(abs(changed) < 0.5)
        }
    }

    @Test("no peak is added above full scale")
    func peaks() throws {
        let (mix, _) = try DialogueQualityTests.mix(seconds: 3, speechOverNoise: 12)
        let hot = mix.amplified(12)
        let run = try FilterRun(
            DialogueEnhance(), ["dialoguenhance_voice": .double(10)], hot, layout: "stereo")
        let before = hot.peak
        let after = run.signal.peak
        #expect(after <= max(before, 0.967))
        #expect(level(run.signal.middle) > level(hot.middle) + 1)
    }
}
