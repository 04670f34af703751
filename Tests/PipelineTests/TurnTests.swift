// What several threads give, put into the order of turns, and how much of it may wait.

import MediaCore
import MediaModel
import TestSupport
import Testing

@testable import Pipeline

@Suite("Transcoder: turns")
struct TurnTests {
    @Test("elements come in the order of turns, those of the first one at once")
    func order() {
        var order = TurnOrder<String>()
        let turns = (0..<3).map { _ in order.begin() }
        order.add("c", cost: 5, to: turns[2])
        order.end(turns[2])
        #expect(order.next() == nil)
        order.add("a", cost: 7, to: turns[0])
        #expect(order.waiting == 12)
        #expect(order.next() == "a")
        #expect(order.next() == nil)
        #expect(order.waiting == 5)
        order.end(turns[0])
        #expect(order.next() == nil)
        order.end(turns[1])
        #expect(order.next() == "c")
        #expect(order.next() == nil)
        #expect(order.waiting == 0)
    }

    @Test("any threads, any number of turns: nothing is lost or changes places")
    func many() {
        var random = SeededRandom(seed: 5)
        var order = TurnOrder<Int>()
        var open: [(turn: Int, value: Int)] = []
        var out: [Int] = []
        for value in 0..<5000 {
            open.append((order.begin(), value))
            while open.count > 40 || (value == 4999 && !open.isEmpty) {
                let (turn, value) = open.remove(at: Int.random(in: open.indices, using: &random))
                for part in 0..<(value % 3) { order.add(value * 3 + part, cost: 1, to: turn) }
                order.end(turn)
                while let next = order.next() { out.append(next) }
            }
        }
        let expected = (0..<5000).flatMap { value in (0..<(value % 3)).map { value * 3 + $0 } }
        let isSame = out == expected
        #expect(isSame)
        #expect(order.waiting == 0)
    }

    /// Notes of which streams packets come.
    private final class Notes: Muxer {
        var streams = 0
        var written: [Int64] = []
        func addStream(_ stream: MuxerStream) -> Int {
            streams += 1
            return streams - 1
        }
        func writeHeader(metadata: [MetadataEntry], chapters: [Chapter]) {}
        func write(_ packet: Packet, stream: Int) { written.append(packet.pts ?? -1) }
        func finish() {}
    }

    @Test("there is no room while much waits for a slow stream, and again once that is written")
    func room() throws {
        let notes = Notes()
        let writer = MuxWriter(notes, lanes: 2, metadata: [], chapters: [])
        let base = TimeBase(1, 1000)
        for (lane, kind) in [MediaKind.video, .audio].enumerated() {
            try writer.open(
                lane,
                MuxerStream(
                    parameters: CodecParameters(CodecDescription(kind: kind, codecName: "odd")),
                    timeBase: base, template: nil))
        }
        let bytes = [UInt8](repeating: 1, count: 1 << 20)
        func packet(_ pts: Int64) -> Packet {
            bytes.withUnsafeBytes {
                Packet(
                    copying: $0, streamIndex: 0, pts: pts, dts: pts, isKeyframe: true,
                    timeBase: base)
            }
        }
        func hasRoom() -> Bool {
            writer.waitForRoom(until: SystemTimeSource().now + .milliseconds(1))
        }
        let slow = writer.beginTurn()
        var count = 0
        while hasRoom(), count < 100 {
            count += 1
            let turn = writer.beginTurn()
            try writer.write(packet(Int64(count)), lane: 0, turn: turn)
            try writer.endTurn(turn)
        }
        #expect((20...40).contains(count))
        #expect(notes.written.isEmpty)
        try writer.write(packet(0), lane: 1, turn: slow)
        try writer.endTurn(slow)
        #expect(notes.written == Array(0...Int64(count)))
        #expect(hasRoom())
    }
}
