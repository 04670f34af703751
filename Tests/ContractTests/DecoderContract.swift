// What every decoder must keep, built in or loaded.

import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("Contract of every decoder (issue 3: loaded ones as built-in ones)")
struct DecoderContract {
    /// One stream of a medium and its packets.
    struct Case: Sendable, CustomTestStringConvertible {
        let medium: Medium
        let stream: StreamInfo
        let packets: [Packet]

        var testDescription: String { "\(medium.name) \(stream.parameters.codecName)" }
        /// Frames that may sound of what was before a flush: FFmpeg's AAC keeps the shape of the
        /// last window, which nobody hears, as containers with care cut the first frame away.
        var settling: Int { stream.parameters.codecName == "aac" ? 1 : 0 }

        func decoder(threads: Int = 1) throws -> any Decoder {
            try medium.bench.registry.makeDecoder(stream, threads: threads)
        }
    }

    static let cases: [Case] = Medium.all.flatMap { medium -> [Case] in
        guard let source = try? medium.open(), let packets = try? source.rest() else { return [] }
        defer { source.close() }
        return source.info.streams.map { stream in
            Case(
                medium: medium, stream: stream,
                packets: packets.filter { $0.streamIndex == stream.index })
        }
    }

    /// A frame as a value that can be compared.
    struct Mark: Hashable, CustomStringConvertible {
        let pts: Int64?
        let content: [UInt64]
        var description: String { pts.map { "\($0)" } ?? "?" }

        init(_ frame: Frame) {
            pts = frame.pts
            guard frame.isAudio else {
                content = [PictureMark(frame).sum]
                return
            }
            let format = frame.audioFormat
            let sampleSize = format?.sampleFormat.bytesPerSample ?? 0
            content = frame.withRawPlanes { planes in
                let perPlane = planes.count == 1 ? format?.channelCount ?? 1 : 1
                return planes.map { plane in
                    UnsafeRawBufferPointer(
                        start: plane, count: frame.sampleCount * sampleSize * perPlane
                    ).reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
                }
            }
        }
    }

    /// Sends packets and gives the frames; damaged packets are counted and passed over.
    private func decode(
        _ decoder: any Decoder, _ packets: some Sequence<Packet>, drains: Bool = true,
        damaged: inout Int
    ) throws(MediaError) -> [Frame] {
        var frames: [Frame] = []
        var rest = packets.makeIterator()
        while true {
            do {
                switch try decoder.receive() {
                case .value(let frame): frames.append(frame)
                case .endOfStream: return frames
                case .needsInput:
                    let packet = rest.next()
                    if packet == nil, !drains { return frames }
                    try decoder.send(packet)
                }
            } catch {
                damaged += 1
                guard error.code == .decodeFailed, damaged < 10_000 else { throw error }
            }
        }
    }

    private func marks(_ decoder: any Decoder, _ packets: some Sequence<Packet>) throws -> [Mark] {
        var damaged = 0
        let frames = try decode(decoder, packets, damaged: &damaged)
        #expect(damaged == 0)
        return frames.map(Mark.init)
    }

    /// Flushes the decoder and expects of it what a new one gives.
    private func expectSame(_ test: Case, _ decoder: any Decoder, _ expected: [Mark]) throws {
        decoder.flush()
        let found = try marks(decoder, test.packets)
        #expect(found.map(\.pts) == expected.map(\.pts))
        #expect(found.dropFirst(test.settling) == expected.dropFirst(test.settling))
    }

    @Test("FFmpeg's, the example in C and the VVC plugin are among them")
    func includes() {
        let codecs = Set(DecoderContract.cases.map(\.stream.parameters.codecName))
        #expect(
            codecs.isSuperset(of: [
                "flac", "pcm_s16le", "mp3", "vorbis", "opus", "h264", "aac", "toy", "vvc",
            ]))
    }

    @Test("after a drain, and after a flush, it starts like new", arguments: cases)
    func startsAnew(_ test: Case) throws {
        let decoder = try test.decoder()
        let first = try marks(decoder, test.packets)
        #expect(first.count > 1)
        #expect(first.map(\.pts) == first.map(\.pts).sorted { $0 ?? 0 < $1 ?? 0 })
        try expectSame(test, decoder, first)
        decoder.flush()
        var damaged = 0
        _ = try decode(
            decoder, test.packets.prefix(test.packets.count / 2), drains: false, damaged: &damaged)
        try expectSame(test, decoder, first)
    }

    @Test("any number of threads gives the same frames", arguments: cases)
    func threads(_ test: Case) throws {
        let one = try marks(try test.decoder(), test.packets)
        for threads in [2, 5, 0] {
            #expect(try marks(try test.decoder(threads: threads), test.packets) == one)
        }
    }

    @Test("two at once don't mix", arguments: cases)
    func twoAtOnce(_ test: Case) throws {
        let alone = try marks(try test.decoder(), test.packets)
        let decoders = [try test.decoder(), try test.decoder()]
        var frames: [[Mark]] = [[], []]
        var damaged = 0
        for packet in test.packets {
            for (i, decoder) in decoders.enumerated() {
                frames[i] += try decode(decoder, [packet], drains: false, damaged: &damaged)
                    .map(Mark.init)
            }
        }
        for (i, decoder) in decoders.enumerated() {
            frames[i] += try marks(decoder, [])
            #expect(frames[i] == alone)
        }
    }

    @Test("the end of nothing is the end, and stays it", arguments: cases)
    func ends(_ test: Case) throws {
        let decoder = try test.decoder()
        try decoder.send(nil)
        for _ in 0..<3 {
            guard case .endOfStream = try decoder.receive() else {
                Issue.record("there is more")
                return
            }
        }
        decoder.flush()
        #expect(try marks(decoder, test.packets).count > 1)
    }

    @Test("frames outlive their decoder and do not change", arguments: cases)
    func outlive(_ test: Case) throws {
        var decoder: (any Decoder)? = try test.decoder(threads: 2)
        var damaged = 0
        var early: [Mark] = []
        var frames: [Frame] = []
        if let decoder {
            frames = try decode(decoder, test.packets.prefix(20), damaged: &damaged)
            early = frames.map(Mark.init)
            decoder.flush()
            _ = try decode(decoder, test.packets, damaged: &damaged)
        }
        decoder = nil
        #expect(frames.map(Mark.init) == early)
    }

    @Test("damaged packets cost frames, never what comes after a flush", arguments: cases)
    func damage(_ test: Case) throws {
        let decoder = try test.decoder(threads: 2)
        let clean = try marks(decoder, test.packets)
        var random = SeededRandom(seed: 3)
        for round in 0..<4 {
            let broken = test.packets.map { packet in
                var bytes = packet.withBytes { Array($0) }
                for _ in 0...round {
                    bytes[Int(random.next() % UInt64(bytes.count))] ^= UInt8(
                        truncatingIfNeeded: random.next())
                }
                if round == 3 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
                return packet.replacing(bytes)
            }
            decoder.flush()
            var damaged = 0
            _ = try decode(decoder, broken, damaged: &damaged)
            try expectSame(test, decoder, clean)
        }
    }

    @Test("a packet without bytes is damaged or nothing", arguments: cases)
    func emptyPacket(_ test: Case) throws {
        let decoder = try test.decoder()
        let empty = try #require(test.packets.first).replacing([])
        var damaged = 0
        _ = try decode(decoder, [empty, empty] + test.packets + [empty], damaged: &damaged)
        #expect(damaged <= 3)
        try expectSame(test, decoder, try marks(try test.decoder(), test.packets))
    }
}

extension Packet {
    /// The same packet with other bytes.
    fileprivate func replacing(_ bytes: [UInt8]) -> Packet {
        bytes.withUnsafeBytes {
            Packet(
                copying: $0, streamIndex: streamIndex, pts: pts, dts: dts, duration: duration,
                isKeyframe: isKeyframe, timeBase: timeBase)
        }
    }
}
