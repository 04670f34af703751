// Calls that a program gets wrong are errors, and reach no memory that is not theirs.

import MediaCore
import MediaModel
import Plugins
import TestSupport
import Testing

/// Says that it read more than there was room for, or less than nothing.
private final class LyingSource: DataSource {
    private let answer: Int
    init(_ answer: Int) { self.answer = answer }
    var length: Int64? { 1 << 30 }
    var isSeekable: Bool { true }
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        answer < 0 ? answer : buffer.count + answer
    }
    func seek(to offset: Int64) throws(MediaError) {}
    func close() {}
}

@Suite("Issue 3, library: wrong calls are errors")
struct MisuseTests {
    private let registry: PluginRegistry

    init() throws { registry = try BuiltinPlugins.makeRegistry() }

    @Test(
        "a packet for a stream that was not added is a bad argument", arguments: [1, 7, .max, -2])
    func muxes(_ stream: Int) throws {
        let folder = try TemporaryFolder()
        let file = try SystemFileSystem().open(folder.file("x.mkv"), .overwrite)
        let muxer = try registry.muxer().makeMuxer(MuxerRequest(path: "x.mkv"), into: file)
        var sound = CodecDescription(kind: .audio, codecName: "pcm_s16le")
        sound.sampleRate = 48000
        sound.channelCount = 2
        sound.sampleFormat = .s16
        let base = TimeBase(1, 48000)
        _ = try muxer.addStream(
            MuxerStream(parameters: CodecParameters(sound), timeBase: base, template: nil))
        try muxer.writeHeader(metadata: [], chapters: [])
        let bytes = [UInt8](repeating: 0, count: 4)
        let packet = bytes.withUnsafeBytes {
            Packet(
                copying: $0, streamIndex: 0, pts: 0, dts: 0, duration: 1, isKeyframe: true,
                timeBase: base)
        }
        let error = #expect(throws: MediaError.self) { try muxer.write(packet, stream: stream) }
        #expect(error?.code == .badArgument)
        try muxer.write(packet, stream: 0)
        try muxer.finish()
    }

    @Test(
        "a frame of another format than the encoder's is a bad argument",
        arguments: [
            AudioFormat(sampleRate: 48000, layout: .mono, sampleFormat: .s16),
            AudioFormat(sampleRate: 48000, layout: .stereo, sampleFormat: .fltp),
        ])
    func encodes(_ format: AudioFormat) throws {
        let own = AudioFormat(sampleRate: 48000, layout: .stereo, sampleFormat: .s16)
        let encoder = try registry.encoder(named: "flac")
            .makeEncoder(EncoderRequest(name: "flac", audio: own))
        let error = #expect(throws: MediaError.self) {
            try encoder.send(Frame.makeAudio(format, sampleCount: 1000, pts: 0))
        }
        #expect(error?.code == .badArgument)
        try encoder.send(Frame.makeAudio(own, sampleCount: 1000, pts: 0))
    }

    @Test("a source that says it read what it can't have is an error", arguments: [1, 1 << 40, -1])
    func reads(_ answer: Int) throws {
        let head = Array("RIFF\u{0}\u{0}\u{0}\u{0}WAVEfmt ".utf8)
        let demuxer = try #require(try registry.demuxers(head: head, url: "x.wav").first)
        let error = #expect(throws: MediaError.self) {
            _ = try demuxer.open(
                LyingSource(answer), url: "x.wav", SourceContext(registry: registry))
        }
        #expect(error?.code == .inputFailed)
        #expect(error?.message.contains("a source says that it read") == true)
    }
}
