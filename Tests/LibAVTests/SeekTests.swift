// Seeking: where it lands, and that sound after it is the sound that is there.

import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("Seeking")
struct SeekTests {
    private static let recipes = MediaRecipe.decoded.filter { !$0.name.hasPrefix("headless") }

    @Test("lands at or before the target, again and again", arguments: recipes)
    func lands(_ recipe: MediaRecipe) throws {
        let folder = try TemporaryFolder()
        let source = try Passage().open(try recipe.make(in: folder))
        #expect(source.info.isSeekable)
        for seconds in [1.0, 0.3, 1.5, 0, 1.2] {
            let target = MediaTime(seconds: seconds)
            let landed = try source.seek(to: target)
            #expect(landed <= target)
            let packet = try #require(try source.readPacket())
            let time = try #require(packet.time) - source.info.startTime
            #expect(max(.zero, time) == landed)
        }
    }

    @Test(
        "lossless sound is the same after a seek as in one run",
        arguments: recipes.filter { $0.name.hasSuffix("flac") || $0.name.hasSuffix("wav") })
    func continues(_ recipe: MediaRecipe) throws {
        let folder = try TemporaryFolder()
        let passage = try Passage()
        let source = try passage.open(try recipe.make(in: folder))
        let stream = try #require(source.info.bestStream(.audio))
        let decoder = try passage.registry.makeDecoder(stream, threads: 1)
        let whole = try sound(source, decoder)
        for seconds in [1.0, 0.25] {
            decoder.flush()
            _ = try source.seek(to: MediaTime(seconds: seconds))
            let rest = try sound(source, decoder)
            #expect(rest.start > 0)
            let isSame = whole.bytes.dropFirst(rest.start - whole.start) == rest.bytes[...]
            #expect(isSame, "from byte \(rest.start)")
        }
    }

    /// Where sound begins, counted in bytes from time 0, and its bytes to the end.
    private func sound(
        _ source: any MediaSource, _ decoder: any Decoder
    ) throws -> (start: Int, bytes: [UInt8]) {
        var start: Int?
        var bytes: [UInt8] = []
        func pull() throws {
            while case .value(let frame) = try decoder.receive() {
                let format = try #require(frame.audioFormat)
                let size = format.channelCount * format.sampleFormat.bytesPerSample
                let ticks = TimeBase(1, Int32(format.sampleRate))
                let place = try #require(frame.pts.map { frame.timeBase.rescale($0, to: ticks) })
                start = start ?? Int(place) * size
                frame.withPlane(0, as: UInt8.self) { bytes += $0 }
            }
        }
        while let packet = try source.readPacket() {
            try decoder.send(packet)
            try pull()
        }
        try decoder.send(nil)
        try pull()
        return (try #require(start), bytes)
    }

    @Test("a source that can't be sought in says so")
    func refuses() throws {
        let source = try Passage().open("synth:sine=duration=1")
        source.close()
        #expect(try source.readPacket() == nil)
    }
}
