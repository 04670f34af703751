// The shortest way through demuxer, decoder, converter, encoder and muxer, on one thread.

import MediaCore
import MediaModel
import Plugins
import TestSupport

/// Reads media and writes them again, decoded or copied.
struct Passage {
    let registry: PluginRegistry
    private let files: any FileSystem

    /// `files` take what is written.
    init(files: any FileSystem = SystemFileSystem()) throws {
        registry = try BuiltinPlugins.makeRegistry()
        self.files = files
    }

    func open(
        _ url: String, _ cancellation: CancellationToken = CancellationToken()
    ) throws(MediaError) -> any MediaSource {
        let context = SourceContext(registry: registry, cancellation: cancellation)
        return try registry.openSource(url, context)
    }

    /// The lines of a `framemd5` of every stream of sound and picture.
    func digest(_ url: String, in folder: TemporaryFolder) throws -> [String] {
        let path = folder.file("digest-\(UInt32.random(in: 0 ... .max)).md5")
        try transcode(
            url, to: path, container: "framemd5",
            encoders: [.audio: "pcm_s16le", .video: "rawvideo"])
        return Passage.lines(try readFile(path))
    }

    static func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("#software") }
    }

    /// Decodes every stream of sound and picture and encodes it anew.
    func transcode(
        _ url: String, to path: String, container: String? = nil, encoders: [MediaKind: String]
    ) throws {
        let source = try open(url)
        defer { source.close() }
        let file = try files.open(path, .overwrite)
        let request = MuxerRequest(container: container, path: path)
        let muxer = try registry.muxer().makeMuxer(request, into: file)
        let facts = try registry.muxer().facts(request)
        var ways: [Int: Way] = [:]
        for stream in source.info.streams {
            guard let encoder = encoders[stream.kind] else { continue }
            ways[stream.index] = try Way(
                stream, encoder: encoder, registry, origin: source.info.startTime,
                wantsGlobalHeader: facts.wantsGlobalHeader)
        }
        // Encoders open at their first frame, so packets wait until the header is written.
        var waiting: [(Int, Packet)] = []
        var isBegun = false
        func begin(force: Bool) throws {
            guard !isBegun, force || ways.values.allSatisfy({ $0.encoder != nil }) else { return }
            for index in ways.keys.sorted() {
                guard let way = ways[index], let encoder = way.encoder else { continue }
                way.output = try muxer.addStream(
                    MuxerStream(
                        parameters: encoder.parameters, timeBase: encoder.timeBase,
                        template: way.stream, frameRate: way.stream.frameRate))
            }
            try muxer.writeHeader(metadata: source.info.metadata, chapters: source.info.chapters)
            isBegun = true
            for (index, packet) in waiting { try put(packet, index) }
            waiting = []
        }
        func put(_ packet: Packet, _ index: Int) throws {
            if !isBegun { return waiting.append((index, packet)) }
            if let output = ways[index]?.output { try muxer.write(packet, stream: output) }
        }
        while let packet = try source.readPacket() {
            let index = packet.streamIndex
            try ways[index]?.push(packet) { try put($0, index) }
            try begin(force: false)
        }
        for (index, way) in ways.sorted(by: { $0.key < $1.key }) {
            try way.push(nil) { try put($0, index) }
        }
        try begin(force: true)
        try muxer.finish()
        try file.close()
    }

    /// Copies every stream that the container can hold.
    func copy(_ url: String, to path: String) throws {
        let source = try open(url)
        defer { source.close() }
        let file = try files.open(path, .overwrite)
        let request = MuxerRequest(path: path)
        let plugin = try registry.muxer()
        let muxer = try plugin.makeMuxer(request, into: file)
        var outputs: [Int: Int] = [:]
        for stream in source.info.streams
        where plugin.takes(stream, request) {
            outputs[stream.index] = try muxer.addStream(
                MuxerStream(
                    parameters: stream.parameters, timeBase: stream.timeBase, template: stream))
        }
        try muxer.writeHeader(metadata: source.info.metadata, chapters: source.info.chapters)
        while let packet = try source.readPacket() {
            guard let output = outputs[packet.streamIndex] else { continue }
            let shift = packet.timeBase.ticks(source.info.startTime)
            try muxer.write(packet.shifted(by: -shift), stream: output)
        }
        try muxer.finish()
        try file.close()
    }
}

/// One stream on its way from packets to packets.
private final class Way {
    let stream: StreamInfo
    private let name: String
    private let registry: PluginRegistry
    private let decoder: any Decoder
    private let converter: (any AudioFilter)?
    private let pictures: (any VideoConverter)?
    private let origin: MediaTime
    private let wantsGlobalHeader: Bool
    private var isConfigured = false
    private(set) var encoder: (any Encoder)?
    var output: Int?

    init(
        _ stream: StreamInfo, encoder name: String, _ registry: PluginRegistry,
        origin: MediaTime, wantsGlobalHeader: Bool
    ) throws(MediaError) {
        self.stream = stream
        self.name = name
        self.registry = registry
        self.origin = origin
        self.wantsGlobalHeader = wantsGlobalHeader
        decoder = try registry.makeDecoder(stream, threads: 1)
        let isSound = stream.kind == .audio
        converter = isSound ? registry.rawFilters?.makeConverter() : nil
        let formats = try registry.encoder(named: name).acceptedPixelFormats(name)
        pictures = isSound ? nil : registry.rawFilters?.makeVideoConverter(pixelFormats: formats)
    }

    func push(_ packet: Packet?, _ emit: (Packet) throws -> Void) throws {
        var packets: [Packet] = []
        try decoder.send(packet)
        while case .value(let frame) = try decoder.receive() {
            try encode(
                frame.stamped(
                    pts: frame.pts.map { $0 - frame.timeBase.ticks(origin) },
                    timeBase: frame.timeBase), &packets)
        }
        if packet == nil {
            try converter?.process(nil) { frame throws(MediaError) in
                try take(frame, &packets)
            }
            try encoder?.send(nil)
            try pull(&packets)
        }
        for packet in packets { try emit(packet) }
    }

    private func encode(_ frame: Frame, _ packets: inout [Packet]) throws(MediaError) {
        if let converter {
            if !isConfigured, let format = frame.audioFormat {
                _ = try converter.configure(
                    format, accepting: try registry.encoder(named: name).acceptedAudio(name))
                isConfigured = true
            }
            try converter.process(frame) { frame throws(MediaError) in try take(frame, &packets) }
        } else if let pictures {
            try take(try pictures.convert(frame), &packets)
        }
    }

    private func take(_ frame: Frame, _ packets: inout [Packet]) throws(MediaError) {
        if encoder == nil {
            encoder = try registry.encoder(named: name).makeEncoder(
                EncoderRequest(
                    name: name, audio: frame.audioFormat, video: frame.videoFormat,
                    frameRate: stream.frameRate,
                    bitsPerRawSample: stream.parameters.bitsPerRawSample,
                    wantsGlobalHeader: wantsGlobalHeader))
        }
        try encoder?.send(frame)
        try pull(&packets)
    }

    private func pull(_ packets: inout [Packet]) throws(MediaError) {
        while let encoder, case .value(let packet) = try encoder.receive() {
            packets.append(packet)
        }
    }
}
