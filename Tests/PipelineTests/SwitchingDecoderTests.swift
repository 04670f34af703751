// A device that fails anywhere costs no picture, and none comes twice.

import MediaCore
import MediaModel
import Pipeline
import Plugins
import TestSupport
import Testing

@Suite("A2.10, A2.11: from a device to software without losing a picture", .timeLimit(.minutes(20)))
struct SwitchingDecoderTests {
    @Test("wherever it fails, with B frames", arguments: [false, true])
    func everywhere(_ isOpen: Bool) throws {
        let bench = try DeviceBench()
        let clip = try VideoClip.make(
            "clip.mp4", in: bench.folder, count: 45,
            isOpen ? VideoClip.withOpenGroups : VideoClip.withBFrames)
        let expected = try bench.pictures(clip.path).pictures
        #expect(expected.count == clip.count)
        for number in 0...clip.count {
            for fault in [DeviceFault.frame(number), .packet(number)] {
                let found = try bench.pictures(clip.path, [("test", fault)])
                #expect(found.pictures == expected, "\(fault)")
                // After the last packet there is none to refuse.
                let isSwitched = fault != .packet(clip.count)
                #expect(found.switches.map(\.device) == (isSwitched ? ["test"] : []), "\(fault)")
            }
        }
    }

    static let encoders: [(name: String, arguments: [String])] = [
        ("x265.mkv", ["-c:v", "libx265", "-x265-params", "keyint=16:log-level=none"]),
        (
            "vp9.webm",
            ["-c:v", "libvpx-vp9", "-g", "16", "-cpu-used", "8"]
        ),
        ("mpeg2.ts", ["-c:v", "mpeg2video", "-g", "12", "-bf", "2"]),
        ("mpeg4.avi", ["-c:v", "mpeg4", "-g", "12", "-bf", "2"]),
        ("h264.ts", VideoClip.withOpenGroups),
        ("h264.h264", VideoClip.withBFrames),
    ]

    @Test("other codecs and containers, without timestamps too", arguments: encoders)
    func kinds(_ name: String, _ arguments: [String]) throws {
        let bench = try DeviceBench()
        let clip = try VideoClip.make(name, in: bench.folder, count: 40, arguments)
        let expected = try bench.pictures(clip.path).pictures
        #expect(expected.count >= 38)
        for number in [0, 1, 2, 11, 12, 13, 17, 30, 39] {
            let found = try bench.pictures(clip.path, [("test", .frame(number))])
            #expect(found.pictures == expected, "\(number)")
            #expect(found.switches.count == 1)
        }
    }

    @Test("it fails while it is drained, or gives nothing any more")
    func drainAndSilence() throws {
        let bench = try DeviceBench()
        let clip = try VideoClip.make("clip.mp4", in: bench.folder, count: 180)
        let expected = try bench.pictures(clip.path).pictures
        for fault in [DeviceFault.drain, .silence(0), .silence(25)] {
            let found = try bench.pictures(clip.path, [("test", fault)])
            #expect(found.pictures == expected, "\(fault)")
            #expect(found.switches.count == 1)
        }
        let silent = try bench.pictures(clip.path, [("test", .silence(3))])
        #expect(silent.switches.first?.reason.code == .timedOut)
    }

    @Test("none opens, one of two opens, any error code")
    func opening() throws {
        let bench = try DeviceBench()
        let clip = try VideoClip.make("clip.mp4", in: bench.folder)
        let expected = try bench.pictures(clip.path).pictures
        let none = try bench.pictures(clip.path, [("one", .open), ("two", .open)])
        #expect(none.pictures == expected)
        #expect(none.switches.map(\.device) == ["two"])
        #expect(none.switches.first?.reason.message == "one: no such device; two: no such device")
        let second = try bench.pictures(clip.path, [("one", .open), ("two", .never)])
        #expect(second.pictures == expected)
        #expect(second.switches.isEmpty)
        #expect(second.devices == ["two"])
        for code in MediaError.Code.allCases where code != .cancelled {
            let found = try bench.pictures(clip.path, [("test", .frame(30))], code: code)
            #expect(found.pictures == expected)
            #expect(found.switches.first?.reason.code == code)
            #expect(found.devices == ["test", nil])
        }
    }

    @Test("a device that hangs is left behind", arguments: [0, 1, 27])
    func hanging(_ count: Int) throws {
        let bench = try DeviceBench()
        let clip = try VideoClip.make("clip.mp4", in: bench.folder)
        let expected = try bench.pictures(clip.path).pictures
        let gate = Gate()
        defer { gate.open() }
        let found = try bench.pictures(clip.path, [("test", .hang(count, gate))])
        #expect(found.pictures == expected)
        #expect(found.switches.first?.reason.code == .timedOut)
    }

    @Test("every device of this machine gives what software gives")
    func machine() throws {
        let bench = try DeviceBench()
        let plugin = try #require(
            BuiltinPlugins.all.lazy.compactMap { $0 as? any DecoderPlugin }.first)
        let hardware = try #require(plugin.hardware)
        for (name, arguments) in SwitchingDecoderTests.encoders {
            let clip = try VideoClip.make(name, in: bench.folder, size: "320x180", arguments)
            let expected = try bench.pictures(clip.path).pictures
            let found = try bench.pictures(clip.path, onMachine: true)
            #expect(found.pictures == expected, "\(found.devices), \(found.switches)")
            let stream = try bench.stream(clip.path)
            #expect(throws: MediaError.self) { try hardware.makeDecoder(stream, on: "nothing") }
            #expect(!hardware.candidates(for: stream).contains("nothing"))
        }
        let sound = try bench.stream("synth:sine=duration=1", .audio)
        #expect(hardware.candidates(for: sound).isEmpty)
    }

    @Test("seeks before and after the failure")
    func seeks() throws {
        let bench = try DeviceBench()
        let clip = try VideoClip.make(
            "clip.mkv", in: bench.folder, count: 100, VideoClip.withOpenGroups)
        // So many pictures, then a jump to a time, and so on; to the end after the last.
        let plans: [[(Int, Double)]] = [
            [(10, 2.5)], [(30, 0)], [(3, 1.7), (5, 0.9), (25, 3)], [(0, 3.2)], [(50, 1), (1, 2)],
        ]
        var switches = 0
        for plan in plans {
            let expected = try bench.pictures(clip.path, plan: plan).pictures
            for number in stride(from: 0, through: 60, by: 7) {
                let found = try bench.pictures(clip.path, [("test", .frame(number))], plan: plan)
                #expect(found.pictures == expected, "\(number), \(plan)")
                switches += found.switches.count
            }
        }
        #expect(switches > 30)
    }

    @Test("a damaged packet: what software makes of the stream")
    func damage() throws {
        let bench = try DeviceBench()
        let clip = try VideoClip.make("clip.mkv", in: bench.folder)
        for broken in [0, 5, 23, 41] {
            let expected = try bench.pictures(clip.path, breaking: broken).pictures
            let found = try bench.pictures(clip.path, [("test", .never)], breaking: broken)
            #expect(found.pictures == expected, "\(broken)")
        }
    }

    @Test("more than may be kept: the next keyframe, no picture twice, and the loss is told")
    func bound() throws {
        let bench = try DeviceBench()
        let clip = try VideoClip.make("clip.mp4", in: bench.folder, count: 80)
        let expected = try bench.pictures(clip.path).pictures
        for number in [5, 15, 19, 33] {
            let found = try bench.pictures(
                clip.path, [("test", .frame(number))], limit: 2_000)
            #expect(found.pictures.count < expected.count)
            #expect(Array(found.pictures.prefix(number)) == Array(expected.prefix(number)))
            #expect(found.pictures.suffix(20) == expected.suffix(20))
            #expect(Set(found.pictures).count == found.pictures.count)
            #expect(found.switches.first?.reason.message.contains("lost") == true)
        }
    }
}

/// Decodes clips on devices that fail.
private struct DeviceBench {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The stream of a kind in a medium.
    func stream(_ url: String, _ kind: MediaKind = .video) throws -> StreamInfo {
        let registry = try BuiltinPlugins.makeRegistry()
        let source = try registry.openSource(url, SourceContext(registry: registry))
        defer { source.close() }
        return try #require(source.info.bestStream(kind))
    }

    /// The pictures of a clip.
    ///
    /// - Parameters:
    ///   - faults: the devices; in software where there is none.
    ///   - plan: after so many more pictures, on to a time.
    ///   - broken: the number of a packet whose bytes are damaged.
    ///   - onMachine: uses the devices of this machine.
    ///   - limit: the most bytes of packets that are kept.
    func pictures(
        _ path: String, _ faults: [(device: String, fault: DeviceFault)] = [],
        code: MediaError.Code = .decodeFailed, plan: [(Int, Double)] = [],
        breaking broken: Int? = nil, limit: Int? = nil, onMachine: Bool = false
    ) throws -> (
        pictures: [PictureMark], switches: [SoftwareSwitch], devices: [String?]
    ) {
        let builtin = try #require(
            BuiltinPlugins.all.lazy.compactMap { $0 as? any DecoderPlugin }.first)
        let fake = FakeHardware(builtin, faults, code: code)
        let registry = try PluginRegistry(BuiltinPlugins.all + (faults.isEmpty ? [] : [fake]))
        let source = try registry.openSource(path, SourceContext(registry: registry))
        defer { source.close() }
        let stream = try #require(source.info.bestStream(.video))
        // Only a device that never answers is worth no wait: others may be slow to.
        let hangs = faults.contains { if case .hang = $0.fault { true } else { false } }
        var switches: [SoftwareSwitch] = []
        var choices: [String?] = []
        let decoder: any Decoder
        if let limit, let device = faults.first?.device {
            decoder = SwitchingDecoder(
                try fake.makeDecoder(stream, on: device), on: device, limit: limit,
                makeSoftware: { (showsIncomplete) throws(MediaError) in
                    var request = DecoderRequest(threads: 3)
                    request.showsIncomplete = showsIncomplete
                    return try registry.makeDecoder(stream, request)
                }, tell: { switches.append($0) })
        } else {
            decoder = try registry.makeDecoder(
                stream, DecoderRequest(threads: 3), usesDevices: onMachine || !faults.isEmpty,
                patience: hangs ? .milliseconds(700) : MediaTime(seconds: Sanitizer.patience(60)),
                chosen: { choices.append($0.device) }, switched: { switches.append($0) })
        }
        let node = DecodeNode(
            stream, decoder: decoder, origin: .zero, warnings: WarningLog(level: .trace))
        var pictures: [PictureMark] = []
        var steps = plan[...]
        var stop = steps.first?.0 ?? .max
        var number = 0
        source.select([stream.index])
        while true {
            if pictures.count >= stop, let step = steps.popFirst() {
                // What comes of a packet comes at once: nothing is left to be thrown away.
                pictures.removeLast(pictures.count - stop)
                _ = try source.seek(to: MediaTime(seconds: step.1))
                node.flush()
                stop = steps.first.map { pictures.count + $0.0 } ?? .max
            }
            var packet = try source.readPacket()
            if let whole = packet, number == broken { packet = damaged(whole) }
            number += 1
            try node.process(packet) { pictures.append(PictureMark($0)) }
            guard packet == nil else { continue }
            if steps.isEmpty { return (pictures, switches, choices) }
            stop = pictures.count
        }
    }

    /// The packet with other bytes behind its beginning.
    private func damaged(_ packet: Packet) -> Packet {
        packet.withBytes { bytes in
            var other = Array(bytes)
            for index in other.indices.dropFirst(12) where index % 5 == 0 { other[index] ^= 0x5A }
            return other.withUnsafeBytes { bytes in
                Packet(
                    copying: bytes, streamIndex: packet.streamIndex, pts: packet.pts,
                    dts: packet.dts, duration: packet.duration, isKeyframe: packet.isKeyframe,
                    timeBase: packet.timeBase)
            }
        }
    }
}
