// VVC through the loaded plugin: pictures equal the reference, and any time can be sought.

import MediaCore
import MediaModel
import Pipeline
import Plugins
import TestSupport
import Testing

@Suite("issue 3: VVC")
struct VVCTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let name: String
        let reference: String
        let width: Int
        var testDescription: String { name }
        var path: String { "\(Workshop.root)/vvc/samples/\(name)" }
        init(_ name: String, _ reference: String, width: Int = 320) {
            self.name = name
            self.reference = "\(Workshop.root)/vvc/samples/\(reference).framemd5"
            self.width = width
        }
    }

    static let samples = [
        Sample("testsrc2_320x180_8b_idr.266", "testsrc2_320x180_8b_idr"),
        Sample("testsrc2_320x180_8b_lead.266", "testsrc2_320x180_8b_lead"),
        Sample("testsrc2_322x182_8b.266", "testsrc2_322x182_8b", width: 322),
        Sample("testsrc2_320x180_8b.mp4", "testsrc2_320x180_8b"),
        Sample("testsrc2_320x180_8b_idr.mp4", "testsrc2_320x180_8b_idr"),
        Sample("mandelbrot_320x180_10b.mp4", "mandelbrot_320x180_10b"),
        Sample("hls.ts", "hls"),
        Sample("hls.mp4", "hls"),
    ]

    static func bench() throws -> Bench {
        let bench = try Bench()
        try bench.loader.load(try Workshop.vvc.get())
        return bench
    }

    /// The MD5 of each picture, without the times.
    static func hashes(_ framemd5: [UInt8]) -> [Substring] {
        String(decoding: framemd5, as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.map { $0.suffix(32) }
    }

    /// Every picture of a file through the whole pipeline.
    static func digest(_ path: String, _ bench: Bench) throws -> [Substring] {
        let folder = try TemporaryFolder()
        let output = folder.file("out.framemd5")
        var request = TranscodeRequest(url: path, outputPath: output)
        request.settings.container = "framemd5"
        request.settings.videoEncoder = "rawvideo"
        let file = try SystemFileSystem().open(output, .overwrite)
        _ = try Transcoder(request, registry: bench.registry).run(into: file)
        try file.close()
        return hashes(try readFile(output))
    }

    @Test("pictures equal FFmpeg 7.1's, bit for bit", arguments: samples)
    func pictures(_ sample: Sample) throws {
        let found = try VVCTests.digest(sample.path, VVCTests.bench())
        let expected = VVCTests.hashes(try readFile(sample.reference))
        #expect(expected.count >= 50)
        #expect(found == expected)
    }

    @Test("a transport stream whose times begin anew loses no picture")
    func joined() throws {
        let folder = try TemporaryFolder()
        let sample = try #require(VVCTests.samples.first { $0.name == "hls.ts" })
        let bytes = try readFile(sample.path)
        let twice = try folder.write("twice.ts", bytes + bytes)
        let expected = VVCTests.hashes(try readFile(sample.reference))
        #expect(try VVCTests.digest(twice, VVCTests.bench()) == expected + expected)
    }

    @Test("the plugin's demuxers win, and tell size and length", arguments: samples)
    func information(_ sample: Sample) throws {
        let source = try VVCTests.bench().open(sample.path)
        defer { source.close() }
        let stream = try #require(source.info.bestStream(.video))
        #expect(stream.parameters.codecName == "vvc")
        #expect(stream.parameters.videoFormat?.width == sample.width)
        #expect(source.info.isSeekable)
        let count = VVCTests.hashes(try readFile(sample.reference)).count
        let length = try #require(source.info.duration).seconds
        #expect(abs(length - Double(count) / 25) < 0.05)
    }

    /// Decodes from a time on, dropping what is shown earlier.
    private func picture(
        at time: MediaTime, _ source: any MediaSource, _ decoder: any Decoder, _ index: Int
    ) throws -> (frame: Frame?, first: MediaTime?) {
        var first: MediaTime?
        while true {
            switch try decoder.receive() {
            case .value(let frame):
                first = first ?? frame.time
                if let shown = frame.time, shown >= time { return (frame, first) }
            case .endOfStream: return (nil, first)
            case .needsInput:
                var packet = try source.readPacket()
                while let other = packet, other.streamIndex != index {
                    packet = try source.readPacket()
                }
                try decoder.send(packet)
            }
        }
    }

    @Test("any time can be sought, to the picture", arguments: samples)
    func seeks(_ sample: Sample) throws {
        let bench = try VVCTests.bench()
        let source = try bench.open(sample.path)
        defer { source.close() }
        let stream = try #require(source.info.bestStream(.video))
        let decoder = try bench.registry.makeDecoder(stream, threads: 2)
        let start = source.info.startTime
        let count = VVCTests.hashes(try readFile(sample.reference)).count
        for step in 0..<12 {
            let number = step * 37 % count
            let target = MediaTime(nanoseconds: Int64(number) * 40_000_000)
            let landed = try source.seek(to: target)
            decoder.flush()
            let found = try picture(
                at: start + target - MediaTime(nanoseconds: 1000), source, decoder, stream.index)
            let shown = try #require(found.frame?.time) - start
            #expect(abs(shown.seconds - target.seconds) < 0.001, "picture \(number)")
            #expect(landed <= target + MediaTime(nanoseconds: 40_000_000 * 32))
            #expect(try #require(found.first) - start <= target + MediaTime(nanoseconds: 1000))
        }
    }

    @Test("pictures reach the sink in the decoder's own memory")
    func noCopy() throws {
        let bench = try VVCTests.bench()
        let source = try bench.open(VVCTests.samples[0].path)
        defer { source.close() }
        let stream = try #require(source.info.bestStream(.video))
        let decoder = try bench.registry.makeDecoder(stream, threads: 1)
        let frame = try #require(try picture(at: .zero, source, decoder, stream.index).frame)
        // A decoder may still refer to it, so it is for reading only; it lives on its own.
        #expect(!frame.isUnique)
        #expect(frame.videoFormat?.pixelFormat == "yuv420p")
        let before = PictureBytes(frame)
        for _ in 0..<20 {
            _ = try picture(at: MediaTime(seconds: 60), source, decoder, stream.index)
        }
        #expect(PictureBytes(frame) == before)
    }

    @Test("off or absent: an error that names the codec")
    func absent() throws {
        let bench = try VVCTests.bench()
        let source = try bench.open(VVCTests.samples[4].path)
        defer { source.close() }
        let stream = try #require(source.info.bestStream(.video))
        try bench.registry.setCodecEnabled("vvc", false)
        let error = #expect(throws: MediaError.self) {
            try bench.registry.makeDecoder(stream, threads: 1)
        }
        #expect(error?.code == .decoderNotFound)
        #expect(error?.message.contains("vvc") == true)
    }

    @Test("damaged files are refused or played as far as they go", arguments: samples)
    func damaged(_ sample: Sample) throws {
        let bench = try VVCTests.bench()
        let folder = try TemporaryFolder()
        let whole = try readFile(sample.path)
        var random = SeededRandom(seed: 11)
        for round in 0..<6 {
            var bytes = whole
            if round % 2 == 0 {
                bytes = Array(bytes.prefix(whole.count * (round + 1) / 7))
            } else {
                for _ in 0..<20 {
                    let place = Int(abs(random.unit()) * Float(bytes.count - 1))
                    bytes[place] ^= 1 << UInt8(round)
                }
            }
            let path = try folder.write("damaged", bytes)
            do {
                let source = try bench.open(path)
                defer { source.close() }
                guard let stream = source.info.bestStream(.video) else { continue }
                let decoder = try bench.registry.makeDecoder(stream, threads: 2)
                var errors = 0
                while errors < 1000 {
                    do {
                        let end = MediaTime(seconds: 3600)
                        if try picture(at: end, source, decoder, stream.index).frame == nil {
                            break
                        }
                    } catch let error as MediaError where error.code == .decodeFailed {
                        errors += 1
                    }
                }
                #expect(errors < 1000)
            } catch let error as MediaError {
                #expect(
                    [
                        .containerMalformed, .containerUnsupported, .decoderNotFound,
                        .decodeFailed, .inputFailed,
                    ].contains(error.code), "\(error)")
            }
        }
    }
}

/// The first plane of a picture as bytes.
private struct PictureBytes: Equatable {
    let sum: UInt64
    init(_ frame: Frame) {
        var sum: UInt64 = 0
        frame.withPictureRows(0) { row in
            for byte in row { sum = sum &* 31 &+ UInt64(byte) }
        }
        self.sum = sum
    }
}
