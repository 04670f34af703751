// A player that decodes on a device, and what it tells when that fails.

import MediaCore
import MediaModel
import Pipeline
import Playback
import Plugins
import TestSupport
import Testing

@Suite("A2.10, A2.11: hardware decoding of a player", .timeLimit(.minutes(20)))
struct PlayerDeviceTests {
    /// Plays a clip into framemd5 and gives its lines, the events and the devices that were used.
    private func play(
        _ path: String, _ faults: [(device: String, fault: DeviceFault)],
        _ change: (inout PlayerConfiguration) -> Void = { _ in }
    ) throws -> (lines: [Substring], events: EventRecorder, uses: [String], device: String?) {
        let builtin = try #require(
            BuiltinPlugins.all.lazy.compactMap { $0 as? any DecoderPlugin }.first)
        let fake = FakeHardware(builtin, faults)
        let registry = try PluginRegistry(BuiltinPlugins.all + [fake])
        let folder = try TemporaryFolder()
        var configuration = PlayerConfiguration()
        configuration.clock = .free
        configuration.sink = "framemd5"
        configuration.output = folder.file("out.md5")
        change(&configuration)
        let player = try Player(registry: registry, configuration: configuration)
        defer { player.close() }
        let events = EventRecorder(player)
        _ = try player.open(path)
        player.play()
        try player.waitUntilEnded()
        _ = events.wait(named: "ended")
        let lines = String(decoding: try folder.read("out.md5"), as: UTF8.self)
            .split(separator: "\n").filter { !$0.hasPrefix("#software") }
        let video = player.snapshot.info?.bestStream(.video)
        return (lines, events, fake.uses, video?.decoder?.device)
    }

    private func switches(_ events: EventRecorder) -> [String] {
        events.all.compactMap {
            if case .switchedToSoftwareDecoder(let stream, let device, let error) = $0 {
                "\(stream) \(device) \(error.code.rawValue): \(error.message)"
            } else {
                nil
            }
        }
    }

    @Test("on by default; frames are the same wherever it fails, and one event says so")
    func failures() throws {
        let folder = try TemporaryFolder()
        let clip = try VideoClip.make("clip.mp4", in: folder, sound: true)
        let software = try play(clip.path, [("gpu", .never)]) { $0.enablesHardwareDecoder = false }
        #expect(software.uses.isEmpty)
        #expect(software.device == nil)
        #expect(software.lines.count > 100)
        let whole = try play(clip.path, [("gpu", .never)])
        #expect(whole.lines == software.lines)
        #expect(whole.uses == ["gpu"])
        #expect(whole.device == "gpu")
        #expect(switches(whole.events).isEmpty)
        for fault in [DeviceFault.open, .frame(0), .frame(1), .frame(33), .packet(59), .drain] {
            let found = try play(clip.path, [("gpu", fault)])
            #expect(found.lines == software.lines, "\(fault)")
            #expect(found.device == nil)
            let reason = fault == .open ? "no such device" : "the device is lost"
            #expect(switches(found.events) == ["0 gpu decode-failed: gpu: \(reason)"])
        }
    }

    @Test("a machine without a device: no event, and no device in the media info")
    func none() throws {
        let folder = try TemporaryFolder()
        let clip = try VideoClip.make("clip.mp4", in: folder)
        let found = try play(clip.path, [])
        #expect(found.lines.count > 60)
        #expect(found.device == nil)
        #expect(!found.events.names.contains("switch_to_software_decoder"))
    }

    @Test("a conversion uses devices only where it is told to, and says where one failed")
    func conversion() throws {
        let folder = try TemporaryFolder()
        let clip = try VideoClip.make("clip.mp4", in: folder, sound: true)
        let builtin = try #require(
            BuiltinPlugins.all.lazy.compactMap { $0 as? any DecoderPlugin }.first)
        var outputs: [[UInt8]] = []
        for isUsed in [false, true] {
            let fake = FakeHardware(builtin, [("gpu", .frame(25))])
            let registry = try PluginRegistry(BuiltinPlugins.all + [fake])
            let path = folder.file("\(isUsed).md5")
            var request = TranscodeRequest(url: clip.path, outputPath: path)
            request.settings.container = "framemd5"
            request.settings.videoEncoder = "rawvideo"
            request.usesHardwareDecoder = isUsed
            let file = try SystemFileSystem().open(path, .overwrite)
            let report = try Transcoder(request, registry: registry).run(into: file)
            try file.close()
            outputs.append(try readFile(path))
            #expect(fake.uses == (isUsed ? ["gpu"] : []))
            let warning = "video stream 0: on in software: gpu: the device is lost"
            #expect(report.warnings == (isUsed ? [warning] : []))
        }
        #expect(outputs[0] == outputs[1])
    }

    @Test("in real time, with a seek after the failure")
    func realTime() throws {
        let folder = try TemporaryFolder()
        let clip = try VideoClip.make("clip.mp4", in: folder, count: 250, sound: true)
        let builtin = try #require(
            BuiltinPlugins.all.lazy.compactMap { $0 as? any DecoderPlugin }.first)
        let sink = CapturingSink()
        let registry = try PluginRegistry(
            BuiltinPlugins.all
                + [CapturingSinkPlugin(sink), FakeHardware(builtin, [("gpu", .frame(12))])])
        var configuration = PlayerConfiguration()
        configuration.sink = "capture"
        let player = try Player(registry: registry, configuration: configuration)
        defer { player.close() }
        let events = EventRecorder(player)
        _ = try player.open(clip.path)
        player.play()
        #expect(events.wait(named: "switch_to_software_decoder") != nil)
        let landed = try player.seek(to: MediaTime(seconds: 9), precision: .exact)
        #expect(abs(landed.seconds - 9) < 0.05)
        try player.waitUntilEnded()
        let times = sink.times.filter { $0.stream == 0 }.map(\.time.seconds)
        let end = times.drop { $0 < 8.99 }
        #expect(end.count == 25)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }
}
