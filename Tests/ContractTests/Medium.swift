// Media on which the contracts of demuxers and decoders are tried: of FFmpeg, and of loaded plugins.

import MediaCore
import MediaModel
import Plugins
import TestSupport
import Testing

/// A file in memory and the registry that reads it.
struct Medium: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let bench: Bench

    var testDescription: String { name }

    /// What FFmpeg reads, built in.
    private static let recipes = [
        MediaRecipe(name: "sound.flac", arguments: MediaRecipe.sound),
        MediaRecipe(name: "sound.wav", arguments: MediaRecipe.noise),
        MediaRecipe(name: "sound.mp3", arguments: MediaRecipe.sound),
        MediaRecipe(name: "sound.ogg", arguments: MediaRecipe.noise + ["-c:a", "libvorbis"]),
        MediaRecipe(name: "sound.opus", arguments: MediaRecipe.noise + ["-c:a", "libopus"]),
        film("film.mp4"), film("film.mkv"), film("film.ts"),
    ]
    /// What the VVC plugin reads.
    private static let vvc = [
        "testsrc2_320x180_8b_idr.266", "testsrc2_322x182_8b.266", "mandelbrot_320x180_10b.mp4",
        "hls.ts", "hls.mp4",
    ]

    /// Without noise substitution: FFmpeg's decoder makes other noise after each seek.
    private static func film(_ name: String) -> MediaRecipe {
        let codecs = ["-c:v", "libx264", "-g", "15", "-bf", "2", "-c:a", "aac", "-aac_pns", "0"]
        return MediaRecipe(name: name, arguments: MediaRecipe.film + codecs)
    }

    private static let made = Result { () throws -> [Medium] in
        let folder = try TemporaryFolder()
        let builtIn = try Bench()
        let loaded = try Bench()
        try loaded.loader.load(try Workshop.example("toy", in: folder))
        try loaded.loader.load(try Workshop.vvc.get())
        let toy = ToyFile(packets: [1_000, 1, 777, 4_096, 512, 2_048], channels: 2)
        return try recipes.map {
            Medium(name: $0.name, bytes: try readFile(try $0.make(in: folder)), bench: builtIn)
        } + [Medium(name: "sound.toy", bytes: toy.bytes, bench: loaded)]
            + vvc.map {
                let path = "\(Workshop.root)/vvc/samples/\($0)"
                return Medium(name: $0, bytes: try readFile(path), bench: loaded)
            }
    }

    /// All of them; none where one could not be made, which a test of its own tells.
    static let all = (try? made.get()) ?? []

    /// All of them, or why they could not be made.
    static func require() throws -> [Medium] { try made.get() }

    /// Opens the medium from a data source with its surest demuxer.
    func open(
        _ source: sending ScriptedDataSource, _ cancellation: CancellationToken = .init()
    ) throws -> any MediaSource {
        let head = Array(bytes.prefix(16 * 1024))
        let demuxers = try bench.registry.demuxers(
            head: head, url: name, bytes: ScriptedDataSource(bytes))
        let context = SourceContext(registry: bench.registry, cancellation: cancellation)
        return try #require(demuxers.first).open(source, url: name, context)
    }

    /// Opens the medium from memory.
    func open() throws -> any MediaSource { try open(ScriptedDataSource(bytes)) }
}

/// A packet as a value that can be compared.
struct PacketMark: Hashable, Sendable {
    let stream: Int
    let pts: Int64?
    let dts: Int64?
    let isKeyframe: Bool
    let bytes: [UInt8]

    init(_ packet: Packet) {
        stream = packet.streamIndex
        pts = packet.pts
        dts = packet.dts
        isKeyframe = packet.isKeyframe
        bytes = packet.withBytes { Array($0) }
    }
}

extension MediaSource {
    /// All packets from here to the end.
    func rest() throws -> [Packet] {
        var packets: [Packet] = []
        while let packet = try readPacket() { packets.append(packet) }
        return packets
    }

    /// All packets from here to the end, as values.
    func restMarks() throws -> [PacketMark] { try rest().map(PacketMark.init) }
}
