// Plugins that a program registers and takes away.

import Glibc
import MediaCore
import MediaModel
import TestSupport
import Testing

private struct NamedSink: SinkPlugin {
    let name: String
    var asks: (@Sendable () -> Void)?
    var info: PluginInfo {
        asks?()
        return PluginInfo(name: name, summary: "For the test.")
    }
    let container: ContainerPreset? = nil
    func makeSink(_ options: Options) throws(MediaError) -> any Sink {
        throw MediaError(.internalError, "not made in this test")
    }
}

private struct NoKind: Plugin {
    let info = PluginInfo(name: "nothing", summary: "For the test.")
}

/// Whatever it is asked to make, it refuses.
private struct Refusing: DecoderPlugin {
    let info: PluginInfo
    var makes = false
    init(_ name: String, rank: Int = 0) {
        info = PluginInfo(name: name, summary: "For the test.", rank: rank)
    }
    func supports(_ parameters: CodecParameters) -> Bool { true }
    func makeDecoder(
        _ stream: StreamInfo, _ request: DecoderRequest
    ) throws(MediaError) -> sending any Decoder {
        if info.rank > 0 { throw MediaError(.decodeFailed, "\(info.name): not today") }
        return Empty()
    }
}

private final class Empty: Decoder {
    func send(_ packet: Packet?) throws(MediaError) {}
    func receive() throws(MediaError) -> Pull<Frame> { .endOfStream }
    func flush() {}
}

@Suite("Issue 3, library: plugins of the program's own", .timeLimit(.minutes(20)))
struct RegistryTests {
    @Test("a plugin's facts may be made by asking the registry")
    func asks() async {
        await #expect(processExitsWith: .success) {
            alarm(UInt32(Sanitizer.patience(20)))
            let registry = try PluginRegistry([])
            let own = NamedSink(name: "own") { _ = registry.entries.count }
            try registry.register([own, NamedSink(name: "other")])
            try registry.setRank(.sink, "own", 3)
            try registry.setEnabled(.sink, "other", false)
            _ = registry.unregister(from: "/nowhere")
            exit(registry.sinks.map(\.info.name) == ["own"] ? 0 : 1)
        }
    }

    @Test("what was registered can be taken away, by kind and name")
    func unregisters() throws {
        let registry = try PluginRegistry([NamedSink(name: "own")])
        try registry.unregister(.sink, "own")
        #expect(registry.entries.isEmpty)
        try registry.register([NamedSink(name: "own")])
        for (kind, name) in [(PluginRegistry.Kind.sink, "owl"), (.filter, "own")] {
            let error = #expect(throws: MediaError.self) { try registry.unregister(kind, name) }
            #expect(error?.code == .badArgument)
        }
        #expect(registry.sinks.count == 1)
    }

    @Test("a plugin of no kind is refused, and nothing of the list is registered")
    func refuses() throws {
        let registry = try PluginRegistry([])
        let error = #expect(throws: MediaError.self) {
            try registry.register([NamedSink(name: "own"), NoKind()])
        }
        #expect(error?.code == .badArgument)
        #expect(registry.entries.isEmpty)
    }

    @Test("a decoder that stands in says for which one, and why")
    func standsIn() throws {
        let registry = try PluginRegistry([Refusing("bad", rank: 1), Refusing("good")])
        let stream = StreamInfo(
            index: 0,
            parameters: CodecParameters(CodecDescription(kind: .audio, codecName: "flac")),
            timeBase: TimeBase(1, 48000))
        var made: DecoderChoice?
        _ = try registry.makeDecoder(stream, DecoderRequest()) { made = $0 }
        #expect(made?.name == "good")
        #expect(made?.reason == "in place of bad: bad: not today")
    }
}

@Suite("Issue 3, library: frames") struct FrameTests {
    private let format = AudioFormat(sampleRate: 48000, layout: .stereo, sampleFormat: .s16p)

    @Test("a slice holds what of it lies in the frame")
    func slices() {
        let frame = Frame.makeAudio(format, sampleCount: 100, pts: 1000)
        let parts = [(-10, 20), (90, 50), (0, 100), (-5, 500), (40, 20), (99, .max)]
            .map { frame.slice(from: $0.0, count: $0.1) }
        #expect(parts.map(\.sampleCount) == [10, 10, 100, 100, 20, 1])
        #expect(parts.map(\.pts) == [1000, 1090, 1000, 1000, 1040, 1099])
    }

    @Test("a plane that is not there is empty", arguments: [-1, 2, .max, .min])
    func planes(_ index: Int) {
        let frame = Frame.makeAudio(format, sampleCount: 100, pts: nil)
        #expect(frame.withPlane(index, as: Int16.self) { $0.count } == 0)
        #expect(frame.withPlane(1, as: Int16.self) { $0.count } == 100)
    }
}
