// VVC that is not as it should be: one clear error, or the right pictures.

import MediaCore
import MediaModel
import Plugins
import TestSupport
import Testing

@Suite("issue 3, bad input: VVC")
struct VVCBadInputTests {
    private func sample(_ name: String) throws -> [UInt8] {
        try readFile("\(Workshop.root)/vvc/samples/\(name)")
    }

    private func play(_ path: String) throws -> ChildResult {
        try runMediakit([
            "play", "--plugin", try Workshop.vvc.get(), "--clock", "free", "--sink", "framemd5",
            path,
        ])
    }

    /// A raw stream without units of these types.
    private func stream(_ bytes: [UInt8], without types: Set<UInt8>) -> [UInt8] {
        var starts = bytes.indices.dropLast(4).filter {
            bytes[$0] == 0 && bytes[$0 + 1] == 0 && bytes[$0 + 2] == 1
        }
        starts.append(bytes.count)
        return zip(starts, starts.dropFirst()).flatMap { start, end -> [UInt8] in
            types.contains(bytes[start + 4] >> 3) ? [] : [0] + bytes[start..<end]
        }
    }

    @Test("the size changes in the middle: every picture in its own size, bit for bit")
    func sizeChange() throws {
        let folder = try TemporaryFolder()
        let names = ["testsrc2_322x182_8b", "testsrc2_320x180_8b_idr"]
        let path = try folder.write(
            "size.266", names.flatMap { try sample("\($0).266") })
        let bench = try VVCTests.bench()
        let expected = try names.flatMap {
            VVCTests.hashes(try sample("\($0).framemd5"))
        }
        #expect(try VVCTests.digest(path, bench) == expected)
        let source = try bench.open(path)
        defer { source.close() }
        let stream = try #require(source.info.bestStream(.video))
        let decoder = try bench.registry.makeDecoder(stream, threads: 2)
        var sizes: [String] = []
        while true {
            switch try decoder.receive() {
            case .needsInput: try decoder.send(try source.readPacket())
            case .value(let frame):
                let format = try #require(frame.videoFormat)
                sizes.append("\(format.width)x\(format.height)")
                continue
            case .endOfStream:
                #expect(sizes.prefix(50).allSatisfy { $0 == "322x182" })
                #expect(sizes.dropFirst(50).allSatisfy { $0 == "320x180" })
                #expect(sizes.count == expected.count)
                return
            }
        }
    }

    @Test(
        "MP4 without its vvcC record: one error that names it",
        arguments: ["testsrc2_320x180_8b.mp4", "mandelbrot_320x180_10b.mp4", "hls.mp4"])
    func withoutRecord(_ name: String) throws {
        let folder = try TemporaryFolder()
        var bytes = try sample(name)
        let record = Array("vvcC".utf8)
        let place = try #require(
            bytes.indices.dropLast(4).first { Array(bytes[$0..<$0 + 4]) == record })
        bytes.replaceSubrange(place..<place + 4, with: Array("free".utf8))
        let result = try play(try folder.write("a.mp4", bytes))
        #expect(result.status == 3)
        #expect(result.errorText.contains("its record 'vvcC' is missing"), "\(result)")
        #expect(result.errorText.split(separator: "\n").count == 1, "\(result)")
    }

    @Test(
        "parameter sets missing: refused, or given up with few words",
        arguments: [
            ([15], "this is no media file that can be read"),
            ([16], "this is no media file that can be read"),
            ([14, 15, 16, 17, 18], "this is no media file that can be read"),
            ([17, 18], "none of its 100 packets can be decoded"),
        ] as [(Set<UInt8>, String)])
    func withoutSets(_ types: Set<UInt8>, _ expected: String) throws {
        let folder = try TemporaryFolder()
        let bytes = stream(try sample("testsrc2_320x180_8b_idr.266"), without: types)
        let result = try play(try folder.write("a.266", bytes))
        #expect(result.status == 3)
        #expect(result.errorText.contains(expected), "\(result)")
        #expect(result.errorText.split(separator: "\n").count <= 5, "\(result)")
    }

    @Test("parameter sets that come late: pictures from there on, as they should be")
    func lateSets() throws {
        let folder = try TemporaryFolder()
        let whole = try sample("testsrc2_320x180_8b_idr.266")
        // Without the first of each set, the first intra period has none.
        var first: Set<UInt8> = [15, 16, 17]
        var starts = whole.indices.dropLast(4).filter {
            whole[$0] == 0 && whole[$0 + 1] == 0 && whole[$0 + 2] == 1
        }
        starts.append(whole.count)
        let bytes = zip(starts, starts.dropFirst()).flatMap { start, end -> [UInt8] in
            first.remove(whole[start + 4] >> 3) == nil ? [0] + whole[start..<end] : []
        }
        let path = try folder.write("a.266", bytes)
        let result = try play(path)
        let hashes = VVCTests.hashes(result.output)
        let all = VVCTests.hashes(try sample("testsrc2_320x180_8b_idr.framemd5"))
        #expect(result.status == 0, "\(result)")
        // A keyframe with its sets comes every 24 pictures.
        #expect(hashes.count == 76)
        #expect(hashes == Array(all.suffix(76)))
        #expect(result.errorText.split(separator: "\n").count == 4, "\(result)")
    }
}
