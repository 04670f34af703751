// Media joined from parts whose timestamps begin anew.

import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("Timestamps that jump back")
struct ContinuityTests {
    @Test("go on without a gap", arguments: ["part.ts", "part.ogg", "part.mp3"])
    func joins(_ name: String) throws {
        let folder = try TemporaryFolder()
        let part = try readFile(
            try MediaRecipe(
                name: name,
                arguments: ["-f", "lavfi", "-i", "sine=duration=15:sample_rate=48000"]
            ).make(in: folder))
        let path = try folder.write("joined-\(name)", part + part + part)
        let source = try Passage().open(path)
        let stream = try #require(source.info.bestStream(.audio))
        var last = MediaTime.zero
        var first: MediaTime?
        while let packet = try source.readPacket() {
            guard packet.streamIndex == stream.index, let time = packet.time else { continue }
            // Chained Ogg gives the headers of each part as packets at its beginning.
            #expect(time.seconds > last.seconds - 0.05)
            first = first ?? time
            last = max(last, time)
        }
        let length = last - (first ?? .zero)
        #expect(abs(length.seconds - 45) < 0.3, "\(length)")
    }

    @Test("a change of rate in the middle gives frames of both rates")
    func changesRate() throws {
        let folder = try TemporaryFolder()
        var bytes: [UInt8] = []
        for (rate, channels) in [(44_100, 1), (48_000, 2)] {
            bytes += try readFile(
                try MediaRecipe(
                    name: "\(rate).aac",
                    arguments: [
                        "-f", "lavfi", "-i", "sine=duration=2:sample_rate=\(rate)", "-ac",
                        "\(channels)",
                    ]
                ).make(in: folder))
        }
        let passage = try Passage()
        let source = try passage.open(try folder.write("joined.aac", bytes))
        let decoder = try passage.registry.makeDecoder(source.info.streams[0], threads: 1)
        var formats: [AudioFormat] = []
        while let packet = try source.readPacket() {
            try decoder.send(packet)
            while case .value(let frame) = try decoder.receive() {
                if let format = frame.audioFormat, format != formats.last { formats.append(format) }
            }
        }
        #expect(formats.map(\.sampleRate) == [44_100, 48_000])
        #expect(formats.map(\.channelCount) == [1, 2])
    }
}
