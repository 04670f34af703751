// Standard input as a source, here a pipe.

import Glibc
import MediaCore
import MediaIO
import MediaModel
import TestSupport
import Testing

@Suite("Standard input")
struct StdinTests {
    @Test("bytes come in order, the end is told, seeking is refused")
    func reads() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let words = Array("hello, pipe".utf8)
        #expect(write(ends[1], words, words.count) == words.count)
        close(ends[1])
        defer { close(ends[0]) }
        let source = try ReplayDataSource(
            PipeDataSource(CancellationToken(), descriptor: ends[0]), peeking: 5)
        #expect(source.head == Array("hello".utf8))
        #expect(source.length == nil && !source.isSeekable)
        #expect(throws: MediaError.self) { try source.seek(to: 0) }
        var bytes = [UInt8](repeating: 0, count: 64)
        var all: [UInt8] = []
        var count = 1
        while count > 0 {
            count = try read(source, &bytes)
            all += bytes[..<count]
        }
        #expect(all == words)
    }

    private func read(_ source: any DataSource, _ bytes: inout [UInt8]) throws -> Int {
        try bytes.withUnsafeMutableBytes { try source.read(into: $0) }
    }

    @Test("a read that waits is woken by cancellation")
    func cancels() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer {
            close(ends[0])
            close(ends[1])
        }
        let token = CancellationToken()
        token.cancel()
        let source = PipeDataSource(token, descriptor: ends[0])
        var bytes = [UInt8](repeating: 0, count: 8)
        let error = #expect(throws: MediaError.self) { _ = try read(source, &bytes) }
        #expect(error?.code == .cancelled)
    }

    @Test("a pipe with a name waits for its writer, and only as long as that is wanted")
    func named() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let token = CancellationToken()
        let passage = try Passage()
        let waking = WorkerThread("mk-test") {
            let deadline = SystemTimeSource().now + .milliseconds(200)
            _ = Monitor(()).wait(until: deadline) { _ -> Bool? in nil }
            token.cancel()
        }
        let error = #expect(throws: MediaError.self) { try passage.open(path, token) }
        #expect(error?.code == .cancelled)
        waking.join()
        let film = try MediaRecipe(name: "a.wav", arguments: MediaRecipe.sound).make(in: folder)
        let writer = WorkerThread("mk-test") { _ = try? run("cp", [film, path]) }
        let source = try passage.open(path)
        var count = 0
        while let packet = try source.readPacket() { count += packet.size }
        source.close()
        writer.join()
        #expect(count == 2 * 44_100 * 2)
        #expect(!source.info.isSeekable)
    }
}
