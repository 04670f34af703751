// The registry while plugins come, go and change.

import MediaCore
import MediaModel
import Plugins
import TestSupport
import Testing

@Suite("A2.15: plugins at run time")
struct RegistryTests {
    private struct Dummy: FilterPlugin {
        let info: PluginInfo
        init(_ name: String, rank: Int = 0) {
            info = PluginInfo(name: name, summary: "", rank: rank)
        }
        func makeFilter(_ options: Options) throws(MediaError) -> sending any AudioFilter {
            throw MediaError(.filterFailed, "dummy")
        }
    }

    @Test("all or none of a group is registered")
    func groups() throws {
        let registry = try PluginRegistry([Dummy("a")])
        let error = #expect(throws: MediaError.self) {
            try registry.register([Dummy("b"), Dummy("a")])
        }
        #expect(error?.code == .pluginConflict)
        #expect(registry.filters.map(\.info.name) == ["a"])
        try registry.register([Dummy("b")])
        #expect(registry.filters.map(\.info.name) == ["a", "b"])
    }

    @Test("rank decides and can be changed; what is off is not there")
    func ranks() throws {
        let registry = try PluginRegistry([Dummy("a"), Dummy("b", rank: 5), Dummy("c", rank: 5)])
        #expect(registry.filters.map(\.info.name) == ["b", "c", "a"])
        try registry.setRank(.filter, "a", 9)
        #expect(registry.filters.map(\.info.name) == ["a", "b", "c"])
        try registry.setEnabled(.filter, "b", false)
        #expect(registry.filters.map(\.info.name) == ["a", "c"])
        #expect(registry.filter(named: "b") == nil)
        let error = #expect(throws: MediaError.self) { try registry.setRank(.filter, "bb", 1) }
        #expect(error?.message.contains("'b'") == true)
    }

    @Test("an error names the plugin that is switched off, or the nearest name")
    func hints() throws {
        let registry = try PluginRegistry(BuiltinPlugins.all)
        func message(_ body: () throws -> Void) -> String {
            (#expect(throws: MediaError.self) { try body() })?.message ?? ""
        }
        let name = "libmp3lam"
        #expect(
            message { _ = try registry.encoder(named: name) }.contains(
                "did you mean 'libmp3lame'?"))
        let folder = try TemporaryFolder()
        let path = try MediaRecipe(name: "x.flac", arguments: MediaRecipe.sound).make(in: folder)
        try registry.setEnabled(.encoder, "libav", false)
        try registry.setEnabled(.muxer, "libav", false)
        let off = "plugin 'libav' is switched off; mk.plugins.enable("
        #expect(message { _ = try registry.encoder(named: "flac") }.contains("encoder \(off)"))
        #expect(message { _ = try registry.muxer() }.contains("muxer \(off)"))
        func open() throws {
            try registry.openSource(path, SourceContext(registry: registry)).close()
        }
        try open()
        try registry.setEnabled(.demuxer, "libav", false)
        #expect(message(open).contains("demuxer \(off)"))
        try registry.setEnabled(.source, "file", false)
        #expect(message(open).contains("source plugin 'file' is switched off"))
    }

    @Test("a codec that is off is not decoded by anything")
    func codecs() throws {
        let registry = try BuiltinPlugins.makeRegistry()
        let stream = StreamInfo(
            index: 0,
            parameters: CodecParameters(CodecDescription(kind: .audio, codecName: "flac")),
            timeBase: TimeBase(1, 48_000))
        #expect(try registry.decoder(for: stream).info.name == "libav")
        try registry.setCodecEnabled("flac", false)
        let error = #expect(throws: MediaError.self) { try registry.decoder(for: stream) }
        #expect(error?.code == .decoderNotFound)
        #expect(error?.message.contains("switched off") == true)
        try registry.setCodecEnabled("flac", true)
        #expect(try registry.decoder(for: stream).info.name == "libav")
    }

    @Test("descriptions of codecs survive the way through FFmpeg's form")
    func descriptions() {
        var video = CodecDescription(kind: .video, codecName: "vvc")
        video.tag = 0x3163_7676
        video.extraData = [1, 2, 3]
        (video.width, video.height, video.pixelFormat) = (322, 182, "yuv420p10le")
        let parameters = CodecParameters(video)
        #expect(parameters.codecName == "vvc")
        #expect(parameters.tag == "vvc1")
        #expect(parameters.codecDescription.extraData == [1, 2, 3])
        #expect(parameters.codecDescription.pixelFormat == "yuv420p10le")
        var sound = CodecDescription(kind: .audio, codecName: "toy")
        (sound.sampleRate, sound.channelCount, sound.layout) = (44_100, 6, "5.1(side)")
        let own = CodecParameters(sound)
        #expect(own.codecName == "toy")
        #expect(own.audioFormat?.layout.name == "5.1(side)")
        #expect(own.codecDescription.sampleFormat == nil)
    }
}
