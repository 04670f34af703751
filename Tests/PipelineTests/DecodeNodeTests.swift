// Which damaged packets a decoder's node speaks of.

import MediaCore
import MediaModel
import TestSupport
import Testing

@testable import Pipeline

@Suite("Damaged packets")
struct DecodeNodeTests {
    private let stream: StreamInfo
    private let packets: [Packet]
    private let registry: PluginRegistry
    private let node: DecodeNode
    private let warnings = WarningLog()

    init() throws {
        let bench = try Workbench()
        let (path, _) = try bench.transcode(Workbench.synth(4), to: "in.flac")
        let source = try bench.registry.openSource(path, SourceContext(registry: bench.registry))
        stream = try #require(source.info.bestStream(.audio))
        var packets: [Packet] = []
        while let packet = try source.readPacket() { packets.append(packet) }
        source.close()
        self.packets = packets
        registry = bench.registry
        node = DecodeNode(
            stream, decoder: try registry.makeDecoder(stream, threads: 1), origin: .zero,
            warnings: warnings)
    }

    /// Sends a packet, damaged or whole.
    private func send(
        _ number: Int, damaged: Bool = false, to other: DecodeNode? = nil
    ) throws {
        let node = other ?? self.node
        let packet = packets[number]
        guard damaged else { return try node.process(packet) { _ in } }
        try [UInt8](repeating: 0x55, count: packet.size).withUnsafeBytes { bytes in
            let broken = Packet(
                copying: bytes, streamIndex: packet.streamIndex, pts: packet.pts, dts: packet.dts,
                duration: packet.duration, isKeyframe: true, timeBase: packet.timeBase)
            try node.process(broken) { _ in }
        }
    }

    @Test("at the very beginning and between frames they are told")
    func told() throws {
        try send(0, damaged: true)
        #expect(warnings.messages.count == 1)
        try send(1)
        try send(2, damaged: true)
        #expect(warnings.messages.count == 2)
    }

    @Test("the first ones behind a seek are not: they may begin in the middle of a frame")
    func settling() throws {
        try send(0)
        node.flush()
        try send(5, damaged: true)
        try send(6, damaged: true)
        #expect(warnings.messages.isEmpty)
        try send(7)
        try send(8, damaged: true)
        #expect(warnings.messages.count == 1)
    }

    @Test("the same for a stream that is read from behind a seek on, not for one that begins late")
    func beginsInside() throws {
        let late = try #require(packets.firstIndex { ($0.time ?? .zero) > MediaTime(seconds: 2) })
        let inside = DecodeNode(
            stream, decoder: try registry.makeDecoder(stream, threads: 1), origin: .zero,
            warnings: warnings, startsInside: true)
        try send(late, damaged: true, to: inside)
        try send(late + 1, to: inside)
        #expect(warnings.messages.isEmpty)
        try send(late + 2, damaged: true, to: inside)
        #expect(warnings.messages.count == 1)
        try send(late, damaged: true)
        #expect(warnings.messages.count == 2)
    }

    @Test("nothing but damaged packets behind a seek is an error all the same")
    func limit() throws {
        node.flush()
        #expect(throws: MediaError.self) {
            for _ in 0..<DecodeNode.damageLimit { try send(3, damaged: true) }
        }
    }
}
