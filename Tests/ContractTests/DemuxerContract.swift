// What every demuxer must keep, built in or loaded.

import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("Contract of every demuxer (issue 3: loaded ones as built-in ones)")
struct DemuxerContract {
    @Test("FFmpeg's, the example in C and the VVC plugin are among them")
    func includes() throws {
        let plugins = try Medium.require().map { medium in
            try medium.bench.registry.demuxers(
                head: Array(medium.bytes.prefix(16_384)), url: medium.name,
                bytes: ScriptedDataSource(medium.bytes)
            ).first?.origin?.name ?? "built-in"
        }
        #expect(plugins.filter { $0 == "built-in" }.count == 8)
        #expect(plugins.filter { $0 == "toy" }.count == 1)
        #expect(plugins.filter { $0 == "vvc" }.count == 5)
    }

    @Test(
        "packets belong to streams, are in order, and end once and for all", arguments: Medium.all)
    func reads(_ medium: Medium) throws {
        let source = try medium.open()
        defer { source.close() }
        #expect(source.info.streams.map(\.index) == Array(source.info.streams.indices))
        let packets = try source.restMarks()
        #expect(Set(packets.map(\.stream)) == Set(source.info.streams.indices))
        for stream in source.info.streams.indices {
            let times = packets.filter { $0.stream == stream }.compactMap(\.dts)
            #expect(times == times.sorted(), "stream \(stream)")
        }
        #expect(packets.allSatisfy { !$0.bytes.isEmpty })
        for _ in 0..<3 { #expect(try source.readPacket() == nil) }
        #expect(try medium.open().restMarks() == packets)
    }

    @Test("bytes that come in small pieces give the same packets", arguments: Medium.all)
    func pieces(_ medium: Medium) throws {
        let whole = try medium.open().restMarks()
        for piece in [7, 1_000] {
            let source = try medium.open(ScriptedDataSource(medium.bytes, piece: piece))
            #expect(try source.restMarks() == whole, "pieces of \(piece)")
        }
    }

    @Test("a pipe gives the same packets, or is refused at once", arguments: Medium.all)
    func pipe(_ medium: Medium) throws {
        let whole = try medium.open().rest()
        do {
            let source = try medium.open(ScriptedDataSource(medium.bytes, isSeekable: false))
            #expect(!source.info.isSeekable)
            let packets = try source.rest()
            #expect(packets.map { PacketMark($0).bytes } == whole.map { PacketMark($0).bytes })
            #expect(throws: MediaError.self) { try source.seek(to: .zero) }
        } catch let error as MediaError {
            #expect([.containerMalformed, .inputFailed].contains(error.code), "\(error)")
        }
    }

    @Test("streams that are not selected are left out", arguments: Medium.all)
    func selects(_ medium: Medium) throws {
        let whole = try medium.open().restMarks()
        let count = try medium.open().info.streams.count
        for stream in 0..<count {
            let source = try medium.open()
            source.select([stream])
            #expect(try source.restMarks() == whole.filter { $0.stream == stream })
        }
    }

    @Test("a seek lands at or before its target, on a keyframe", arguments: Medium.all)
    func seeks(_ medium: Medium) throws {
        let source = try medium.open()
        defer { source.close() }
        let stream = source.info.bestStream(.video) ?? source.info.bestStream(.audio)
        let index = try #require(stream).index
        let begin = source.info.startTime
        let times = try source.rest().filter { $0.streamIndex == index && $0.isKeyframe }
            .compactMap { $0.time.map { $0 - begin } }
        let first = max(.zero, try #require(times.min()))
        let length = try #require(times.max()) - first
        let isSparse = source.info.streams[index].kind == .video
        for part in [0.0, 0.3, 0.5, 0.99, 1, 0.1] {
            let target = first + MediaTime(seconds: length.seconds * part + 0.001)
            let landed = try source.seek(to: target)
            source.select([index])
            let packet = try #require(try source.readPacket())
            #expect(packet.isKeyframe)
            #expect(max(.zero, try #require(packet.time) - begin) == landed)
            #expect(landed <= target)
            // Pictures are found by the last keyframe; sound may begin anywhere before.
            #expect(!isSparse || landed == times.last { $0 <= target }, "to \(target)")
        }
    }

    @Test("back at the start, everything comes again", arguments: Medium.all)
    func rewinds(_ medium: Medium) throws {
        let source = try medium.open()
        defer { source.close() }
        let whole = try source.restMarks()
        for _ in 0..<3 {
            _ = try source.seek(to: .zero)
            #expect(try source.restMarks() == whole)
            _ = try source.seek(to: .zero)
            for _ in 0..<whole.count / 2 { _ = try source.readPacket() }
        }
    }

    @Test("beyond the end there is no error, and the way back is open", arguments: Medium.all)
    func beyond(_ medium: Medium) throws {
        let source = try medium.open()
        defer { source.close() }
        let whole = try source.restMarks()
        _ = try source.seek(to: MediaTime(seconds: 3_600))
        #expect(try source.rest().count <= whole.count)
        _ = try source.seek(to: .zero)
        #expect(try source.restMarks() == whole)
    }

    @Test("a read that fails is the error that comes out", arguments: Medium.all)
    func failingReads(_ medium: Medium) throws {
        // In pieces, so that there are many reads to fail.
        let piece = max(512, medium.bytes.count / 40)
        let whole = try medium.open().restMarks()
        for number in [0, 1, 2, 3, 5, 8, 13, 21, 34] {
            do {
                let source = try medium.open(
                    ScriptedDataSource(medium.bytes, piece: piece, failingRead: number))
                let packets = try source.restMarks()
                #expect(packets == whole, "read \(number) failed and nobody said so")
            } catch let error as MediaError {
                #expect(error.code == ScriptedDataSource.failure.code, "read \(number): \(error)")
                #expect(error.message.contains("the disk is broken"), "read \(number): \(error)")
            }
        }
    }

    @Test("cancellation ends opening and reading", arguments: Medium.all)
    func cancelled(_ medium: Medium) throws {
        let token = CancellationToken()
        let source = try medium.open(ScriptedDataSource(medium.bytes), token)
        _ = try source.readPacket()
        token.cancel()
        let read = #expect(throws: MediaError.self) { try source.rest() }
        #expect(read?.code == .cancelled)
        let opened = #expect(throws: MediaError.self) {
            try medium.open(ScriptedDataSource(medium.bytes), token)
        }
        #expect(opened?.code == .cancelled)
    }

    @Test("a file cut short gives a part of the packets or an error", arguments: Medium.all)
    func cutShort(_ medium: Medium) throws {
        let whole = try medium.open().restMarks()
        for part in 1..<16 {
            let bytes = Array(medium.bytes.prefix(medium.bytes.count * part / 16))
            do {
                let source = try medium.open(ScriptedDataSource(bytes))
                let packets = try source.restMarks()
                #expect(packets.count <= whole.count, "part \(part)")
            } catch let error as MediaError {
                #expect(
                    [.containerMalformed, .containerUnsupported].contains(error.code),
                    "part \(part): \(error)")
            }
        }
    }

    @Test(
        "closed twice it stays closed, gives no packet and cannot be sought", arguments: Medium.all)
    func closed(_ medium: Medium) throws {
        let source = try medium.open()
        _ = try source.readPacket()
        source.close()
        source.close()
        #expect((try? source.readPacket()) == nil)
        #expect(throws: MediaError.self) { try source.seek(to: .zero) }
        #expect(!source.info.streams.isEmpty)
    }
}
