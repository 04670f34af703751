// Encoders and muxers: what is kept, what is refused.

import MediaCore
import MediaModel
import Plugins
import TestSupport
import Testing

@Suite("Encoders and muxers")
struct EncoderTests {
    private let registry: PluginRegistry

    init() throws { registry = try BuiltinPlugins.makeRegistry() }

    private func entries(_ path: String, _ entries: String) throws -> String {
        try run(
            "ffprobe", ["-v", "error", "-of", "default=nw=1", "-show_entries", entries, path]
        ).text
    }

    @Test("24 bits stay 24 bits, sample for sample")
    func keepsDepth() throws {
        let folder = try TemporaryFolder()
        let path = try MediaRecipe(
            name: "in.flac", arguments: MediaRecipe.noise + ["-sample_fmt", "s32"]
        ).make(in: folder)
        let output = folder.file("out.flac")
        try Passage().transcode(path, to: output, encoders: [.audio: "flac"])
        #expect(try entries(output, "stream=bits_per_raw_sample") == "bits_per_raw_sample=24\n")
        func digest(_ path: String) throws -> String {
            try run("ffmpeg", ["-v", "error", "-i", path, "-f", "md5", "-c:a", "pcm_s32le", "-"])
                .text
        }
        #expect(try digest(output) == (try digest(path)))
    }

    @Test("the encoder signs its stream as ffmpeg does, the old signature goes")
    func signs() throws {
        let folder = try TemporaryFolder()
        let path = try MediaRecipe(
            name: "in.ogg",
            arguments: MediaRecipe.noise + [
                "-c:a", "libvorbis", "-metadata", "title=Noise", "-metadata:s:a", "encoder=Me",
            ]
        ).make(in: folder)
        let output = folder.file("out.mka")
        try Passage().transcode(path, to: output, encoders: [.audio: "pcm_s16le"])
        let tags = try entries(output, "stream_tags:format_tags")
        let encoder = try #require(tags.split(separator: "\n").first { $0.hasSuffix(" pcm_s16le") })
        #expect(encoder.hasPrefix("TAG:ENCODER=Lavc"))
        #expect(!tags.contains("=Me"))
        #expect(tags.contains("TAG:title=Noise") || tags.contains("TAG:TITLE=Noise"))
    }

    @Test("wrong names, formats and options are refused with a reason")
    func refuses() throws {
        let stereo = AudioFormat(sampleRate: 48_000, layout: .stereo, sampleFormat: .s16)
        func failure(_ request: EncoderRequest) throws -> MediaError? {
            #expect(throws: MediaError.self) {
                _ = try registry.encoder(named: request.name).makeEncoder(request)
            }
        }
        var error = try failure(EncoderRequest(name: "flacc", audio: stereo))
        #expect(error?.code == .encoderNotFound)
        error = try failure(
            EncoderRequest(name: "flac", audio: stereo, options: ["compresion_level": "3"]))
        #expect(error?.code == .badArgument)
        #expect(error?.message.contains("no option 'compresion_level'") == true)
        error = try failure(
            EncoderRequest(name: "flac", audio: stereo, options: ["lpc_tipe": "none"]))
        #expect(error?.message.hasSuffix("did you mean 'lpc_type'?") == true)
        error = try failure(
            EncoderRequest(name: "flac", audio: stereo, options: ["compression_level": "99"]))
        #expect(error != nil)
        let odd = AudioFormat(sampleRate: 48_000, layout: .stereo, sampleFormat: .dblp)
        error = try failure(EncoderRequest(name: "flac", audio: odd))
        #expect(error?.message.contains("dblp") == true)
    }

    @Test("containers say what they are for and what they take")
    func facts() throws {
        let muxer = try registry.muxer()
        func facts(_ path: String) throws(MediaError) -> ContainerFacts {
            try muxer.facts(MuxerRequest(path: path))
        }
        #expect(try facts("a.flac").defaultEncoders[.audio] == "flac")
        #expect(try facts("a.flac").defaultEncoders[.subtitle] == nil)
        #expect(try facts("a.mp4").wantsGlobalHeader)
        #expect(try facts("a.mp4").needsSeekableOutput)
        #expect(try facts("a.mkv").needsSeekableOutput == false)
        #expect(try facts("a%03d.png").writesOwnFiles)
        #expect(try facts("a.wav").defaultEncoders[.audio] == "pcm_s16le")
        #expect(throws: MediaError.self) { try facts("a.nothing") }
        #expect(throws: MediaError.self) { try facts("a") }
        let matrix: [(String, String, Bool)] = [
            ("a.flac", "flac", true), ("a.flac", "aac", false), ("a.mp4", "aac", true),
            ("a.mp4", "h264", true), ("a.mp4", "subrip", false), ("a.mp4", "mov_text", true),
            ("a.mkv", "subrip", true), ("a.mkv", "h264", true), ("a.ogg", "opus", true),
            ("a.ogg", "aac", false), ("a.ogg", "h264", false), ("a.wav", "pcm_s24le", true),
            ("a.wav", "h264", false), ("a.mp3", "mp3", true), ("a.mp3", "aac", false),
            ("a.aac", "aac", true), ("a.aac", "mp3", false),
        ]
        for (path, codec, isTaken) in matrix {
            #expect(
                muxer.takes(codec: codec, MuxerRequest(path: path)) == isTaken,
                "\(codec) in \(path)")
        }
    }

    @Test("timestamps that jump back are put in order, as ffmpeg does")
    func ordersTimestamps() throws {
        let folder = try TemporaryFolder()
        let path = try MediaRecipe(name: "a.flac", arguments: MediaRecipe.noise).make(in: folder)
        let source = try Passage().open(path)
        let stream = try #require(source.info.bestStream(.audio))
        let file = try SystemFileSystem().open(folder.file("b.mka"), .overwrite)
        let muxer = try registry.muxer().makeMuxer(MuxerRequest(path: "b.mka"), into: file)
        let output = try muxer.addStream(
            MuxerStream(parameters: stream.parameters, timeBase: stream.timeBase, template: stream))
        try muxer.writeHeader(metadata: [], chapters: [])
        var count = 0
        while let packet = try source.readPacket() {
            count += 1
            try muxer.write(packet.shifted(by: count % 5 == 0 ? -9000 : 0), stream: output)
        }
        try muxer.finish()
        let stamps = try entries(folder.file("b.mka"), "packet=dts").split(separator: "\n")
            .compactMap { Int($0.dropFirst(4)) }
        #expect(stamps.count == count)
        #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("a muxer that is dropped half-way frees what it holds")
    func dropped() throws {
        let folder = try TemporaryFolder()
        let format = AudioFormat(sampleRate: 48_000, layout: .stereo, sampleFormat: .s16)
        let encoder = try registry.encoder(named: "flac").makeEncoder(
            EncoderRequest(name: "flac", audio: format))
        for isBegun in [false, true] {
            let file = try SystemFileSystem().open(folder.file("a.flac"), .overwrite)
            let muxer = try registry.muxer().makeMuxer(MuxerRequest(path: "a.flac"), into: file)
            _ = try muxer.addStream(
                MuxerStream(
                    parameters: encoder.parameters, timeBase: encoder.timeBase, template: nil))
            if isBegun { try muxer.writeHeader(metadata: [], chapters: []) }
        }
    }

    @Test("pictures are converted and numbered PNG files come out")
    func writesPictures() throws {
        let folder = try TemporaryFolder()
        let request = MuxerRequest(container: "image2", path: folder.file("p%02d.png"))
        let source = try Passage().open("synth:testsrc2=size=64x48:rate=5:duration=1")
        let stream = try #require(source.info.bestStream(.video))
        let decoder = try registry.makeDecoder(stream, threads: 1)
        let converter = try #require(registry.rawFilters).makeVideoConverter(
            pixelFormats: try registry.encoder(named: "png").acceptedPixelFormats("png"))
        let muxer = try registry.muxer().makeMuxer(request, into: nil)
        var encoder: (any Encoder)?
        while let packet = try source.readPacket() {
            try decoder.send(packet)
            while case .value(let frame) = try decoder.receive() {
                let picture = try converter.convert(frame)
                let made =
                    try encoder
                    ?? registry.encoder(named: "png").makeEncoder(
                        EncoderRequest(
                            name: "png", video: picture.videoFormat, frameRate: stream.frameRate))
                if encoder == nil {
                    _ = try muxer.addStream(
                        MuxerStream(
                            parameters: made.parameters, timeBase: made.timeBase, template: nil))
                    try muxer.writeHeader(metadata: [], chapters: [])
                }
                encoder = made
                try made.send(picture)
                while case .value(let output) = try made.receive() {
                    try muxer.write(output, stream: 0)
                }
            }
        }
        try muxer.finish()
        #expect(try folder.names() == (1...5).map { "p0\($0).png" })
    }
}
