// libavfilter text: results as on FFmpeg's command line, checks, changes while running.

import MediaCore
import MediaModel
import Plugins
import TestSupport
import Testing

@Suite("Raw libavfilter text")
struct FilterTests {
    private let registry: PluginRegistry

    init() throws { registry = try BuiltinPlugins.makeRegistry() }

    /// Runs sound through filters and collects the bytes of what comes out.
    private func samples(
        _ url: String, through text: String, accepting: AudioFormatSet
    ) throws -> (bytes: [UInt8], format: AudioFormat?) {
        let passage = try Passage()
        let source = try passage.open(url)
        let stream = try #require(source.info.bestStream(.audio))
        let decoder = try registry.makeDecoder(stream, threads: 1)
        let filter = try registry.makeFilter(FilterSpec(.raw(text)))
        var format: AudioFormat?
        var bytes: [UInt8] = []
        func push(_ frame: Frame?) throws(MediaError) {
            if format == nil, let given = frame?.audioFormat {
                format = try filter.configure(given, accepting: accepting)
            }
            try filter.process(frame) { frame throws(MediaError) in
                frame.withPlane(0, as: UInt8.self) { bytes += $0 }
            }
        }
        source.select([stream.index])
        var isAtEnd = false
        while !isAtEnd {
            let packet = try source.readPacket()
            isAtEnd = packet == nil
            try decoder.send(packet)
            while case .value(let frame) = try decoder.receive() { try push(frame) }
        }
        try push(nil)
        return (bytes, format)
    }

    @Test(
        "PCM equals ffmpeg -af",
        arguments: [
            ("volume=-3dB,alimiter", "s16"),
            (
                "volume=-3dB,highpass=f=80,acompressor=threshold=0.1:ratio=3,alimiter=limit=0.9",
                "s32"
            ),
            ("aresample=44100,dynaudnorm=f=100", "s16"),
            ("asplit[a][b];[a]lowpass=f=300[c];[b]highpass=f=300[d];[c][d]amix=inputs=2", "s16"),
            ("pan=mono|c0=0.5*c0+0.5*c1,equalizer=f=1000:t=q:w=1:g=2", "flt"),
            ("atempo=1.5", "s16"),
        ])
    func equalsCommandLine(_ text: String, _ format: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("in.flac")
        let made = try run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "anoisesrc=d=3:c=pink:seed=3:r=48000:a=0.4",
                "-ac", "2", path,
            ])
        #expect(made.status == 0, "\(made)")
        let container = ["s16": "s16le", "s32": "s32le", "flt": "f32le"][format] ?? ""
        let reference = try run(
            "ffmpeg",
            ["-v", "error", "-i", path, "-af", text, "-f", container, "-"])
        #expect(reference.output.count > 100_000)
        let wanted = AudioFormatSet(
            sampleFormats: [try #require(SampleFormat(rawValue: format))])
        let found = try samples(path, through: text, accepting: wanted)
        #expect(found.bytes == reference.output)
    }

    @Test(
        "errors name the wrong part, before anything is opened",
        arguments: [
            ("volum=2", "no filter 'volum'; did you mean 'volume'?"),
            ("alimiter=limt=0.5", "alimiter: no option 'limt'; did you mean 'limit'?"),
            ("alimiter=limit=5", "alimiter: option 'limit': '5' is not 0.0625…1"),
            ("volume=-3dB,alimiter=limit=loud", "alimiter: option 'limit': 'loud' is not 0.0625…1"),
            (
                "volume=precision=half",
                "volume: option 'precision': 'half' is not fixed|float|double"
            ),
            ("scale=10:10", "this is no filter of sound"),
            ("asplit", "1 in, 2 out"),
            ("sine", "0 in, 1 out"),
            ("volume=loud", "loud"),
            ("acrossover=split=1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18", "one value too many"),
            ("", ""),
        ])
    func refuses(_ text: String, _ reason: String) throws {
        let error = #expect(throws: MediaError.self) {
            try registry.check(FilterSpec(.raw(text)))
        }
        #expect(error?.code == .badArgument)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test("a name close to a plugin's suggests the plugin, before libavfilter's own")
    func suggestsPlugins() throws {
        let error = #expect(throws: MediaError.self) {
            try FilterChain(parsing: "volume=2,normalizr=target=-16", registry: registry)
        }
        let mark = String(repeating: " ", count: 9) + "^" + String(repeating: "~", count: 8)
        #expect(error?.message.contains("did you mean 'normalizer'?") == true)
        #expect(error?.message.hasSuffix("\n  \(mark)") == true)
    }

    @Test(
        "good text passes",
        arguments: [
            "volume=-3dB,alimiter", "anull", "volume=enable='between(t,1,2)':volume=0.5",
            "asplit[a][b];[a][b]amix", "equalizer=1000:q:1:2", "aresample=44100:async=1",
            "pan=stereo|c0=c0|c1=c0", "aeval=val(0)*0.5|val(0)", "volume@mine=2",
        ])
    func accepts(_ text: String) throws {
        try registry.check(FilterSpec(.raw(text)))
    }

    @Test("options that libavfilter takes while running are applied, others are reported")
    func updates() throws {
        let filter = try registry.makeFilter(FilterSpec(.raw("volume=0.5")))
        let format = AudioFormat(sampleRate: 48_000, layout: .mono)
        let raw = try #require(registry.rawFilters)
        let specs = try #require(raw.describe("volume"))
        #expect(specs.first { $0.name == "volume" }?.isLive == true)
        _ = try filter.configure(format, accepting: AudioFormatSet(sampleFormats: [.fltp]))
        func level() throws -> Float {
            let frame = Frame.makeAudio(format, sampleCount: 256, pts: 0)
            frame.withFloatPlanes { planes in
                for index in 0..<256 { planes[0][index] = 0.5 }
            }
            var level: Float = 0
            try filter.process(frame) { frame throws(MediaError) in
                level = frame.withFloatPlanes { $0[0][255] }
            }
            return level
        }
        #expect(try level() == 0.25)
        var options = try Options(["volume": .string("0.25")], specs: specs, owner: "volume")
        #expect(try filter.update(options) == .applied)
        #expect(try level() == 0.125)
        filter.flush()
        #expect(try level() == 0.125, "a change outlives a flush")
        options = try Options(["precision": .string("double")], specs: specs, owner: "volume")
        guard case .ignored(let reasons) = try filter.update(options) else {
            Issue.record("precision can't be changed while running")
            return
        }
        #expect(reasons.count == 1)
    }

    @Test("each option of each filter of sound has a range that holds its default (A8)")
    func describesAll() throws {
        let raw = try #require(registry.rawFilters)
        #expect(raw.catalogue.count > 100)
        for filter in raw.catalogue {
            let specs = try #require(raw.describe(filter.name))
            #expect(Set(specs.map(\.name)).count == specs.count, "\(filter.name)")
            for spec in specs {
                guard case .double(let range) = spec.kind,
                    case .double(let value) = spec.defaultValue
                else { continue }
                #expect(
                    range.contains(value) || range.contains(Double(Float(value))),
                    "\(filter.name).\(spec.name)")
            }
        }
        #expect(raw.describe("nothing") == nil)
    }

    @Test("a converter passes what is accepted and changes the rest")
    func converts() throws {
        let raw = try #require(registry.rawFilters)
        let converter = raw.makeConverter()
        let format = AudioFormat(sampleRate: 48_000, layout: .stereo)
        let frame = Frame.makeAudio(format, sampleCount: 4800, pts: 0)
        #expect(try converter.configure(format, accepting: AudioFormatSet()) == format)
        var passed: [Frame] = []
        try converter.process(frame) { passed.append($0) }
        #expect(passed.count == 1 && passed.first === frame)
        let wanted = AudioFormatSet(sampleFormats: [.s16], sampleRates: [44_100], layouts: [.mono])
        let output = try converter.configure(format, accepting: wanted)
        #expect(wanted.contains(output))
        var count = 0
        for input in [frame, nil] {
            try converter.process(input) { count += $0.sampleCount }
        }
        #expect(abs(count - 4410) <= 1)
    }

    @Test("samples come as from a graph of FFmpeg's", arguments: SampleFormat.allCases)
    func convertsSamples(_ given: SampleFormat) throws {
        for name in ["stereo", "5.1", "3 channels"] {
            let layout = try #require(ChannelLayout(named: name))
            let format = AudioFormat(sampleRate: 48_000, layout: layout)
            let noise = Frame.makeAudio(format, sampleCount: 1001, pts: 7)
            var random = SeededRandom(seed: 3)
            noise.withFloatPlanes { planes in
                for plane in planes { for index in 0..<1001 { plane[index] = random.unit() * 1.2 } }
            }
            let frame = try converted(
                noise.stamped(pts: 14, timeBase: TimeBase(1, 96_000)), to: given, by: anull)
            for wanted in SampleFormat.allCases {
                let converter = try #require(registry.rawFilters).makeConverter()
                let one = try converted(frame, to: wanted, by: converter)
                let other = try converted(frame, to: wanted, by: anull)
                #expect(one.audioFormat == other.audioFormat)
                #expect(one.time == other.time && one.time != nil)
                for plane in 0..<layout.channelCount {
                    let bytes = one.withPlane(plane, as: UInt8.self) { Array($0) }
                    #expect(bytes == other.withPlane(plane, as: UInt8.self) { Array($0) })
                }
            }
        }
    }

    private var anull: any AudioFilter {
        get throws { try registry.makeFilter(FilterSpec(.raw("anull"))) }
    }

    private func converted(
        _ frame: Frame, to wanted: SampleFormat, by filter: any AudioFilter
    ) throws -> Frame {
        let format = try #require(frame.audioFormat)
        _ = try filter.configure(format, accepting: AudioFormatSet(sampleFormats: [wanted]))
        var made: [Frame] = []
        for input in [frame, nil] { try filter.process(input) { made.append($0) } }
        #expect(made.count == 1)
        return try #require(made.first)
    }
}
