// Devices whose driver takes its time, or for ever.

import MediaCore
import MediaModel
import Plugins
import Synchronization
import TestSupport
import Testing

@testable import LibAV
@testable import Pipeline

@Suite("A2.10: opening devices")
struct DeviceOpeningTests {
    private let stream: StreamInfo
    private let registry: PluginRegistry

    init() throws {
        let folder = try TemporaryFolder()
        registry = try BuiltinPlugins.makeRegistry()
        let clip = try VideoClip.make("clip.mp4", in: folder)
        let source = try registry.openSource(clip.path, SourceContext(registry: registry))
        stream = try #require(source.info.bestStream(.video))
        source.close()
    }

    /// FFmpeg's decoders, with another way to open devices.
    private struct Plugin: DecoderPlugin {
        let inner = LibAVDecoderPlugin()
        let machine: LibAVHardware
        var info: PluginInfo { PluginInfo(name: "slow", summary: "Opens slowly.", rank: 9) }
        var hardware: (any HardwareDevices)? { machine }
        func supports(_ parameters: CodecParameters) -> Bool { inner.supports(parameters) }
        func makeDecoder(
            _ stream: StreamInfo, _ request: DecoderRequest
        ) throws(MediaError) -> sending any Decoder { try inner.makeDecoder(stream, request) }
    }

    private func switches(
        _ hardware: LibAVHardware, patience: Double = 0.15
    ) throws -> [SoftwareSwitch] {
        let registry = try PluginRegistry([Plugin(machine: hardware)])
        var switches: [SoftwareSwitch] = []
        _ = try registry.makeDecoder(
            stream, DecoderRequest(threads: 1), usesDevices: true,
            patience: MediaTime(seconds: patience),
            chosen: { _ in }, switched: { switches.append($0) })
        return switches
    }

    @Test("a driver that does not come back is given up, and the stream decodes in software")
    func hangs() throws {
        let gate = Gate()
        defer { gate.open() }
        let hardware = LibAVHardware(
            probe: HardwareProbe { _ in
                try? gate.pass(CancellationToken())
                return nil
            })
        let candidates = hardware.candidates(for: stream)
        // CUDA is tried on every machine.
        try #require(!candidates.isEmpty)
        let found = try switches(hardware)
        #expect(found.map(\.reason.code) == [.timedOut])
        // Not known to be absent: the next stream waits for it again, for a while.
        #expect(hardware.candidates(for: stream) == candidates)
    }

    @Test("a device that is not there is asked for once, and nobody is told")
    func absent() throws {
        let asked = Mutex(0)
        let hardware = LibAVHardware(
            probe: HardwareProbe { _ in
                asked.withLock { $0 += 1 }
                return nil
            })
        let candidates = hardware.candidates(for: stream)
        let begin = SystemTimeSource().now
        let patience = Sanitizer.patience(60)
        for _ in 0..<3 { #expect(try switches(hardware, patience: patience).isEmpty) }
        #expect((SystemTimeSource().now - begin).seconds < patience / 2)
        #expect(asked.withLock { $0 } == candidates.count)
        #expect(hardware.candidates(for: stream).isEmpty)
    }
}
