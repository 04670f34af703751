// What every source of bytes must keep.

import MediaCore
import MediaIO
import MediaModel
import TestSupport
import Testing

@Suite("Contract of every source of bytes")
struct DataSourceContract {
    enum Kind: CaseIterable, Sendable {
        case file, replayedFile, replayedPipe

        func open(_ path: String, _ bytes: [UInt8]) throws -> any DataSource {
            let files = SystemFileSystem()
            return switch self {
            case .file: try FileDataSource(path, files)
            case .replayedFile: try ReplayDataSource(FileDataSource(path, files), peeking: 1_000)
            case .replayedPipe:
                try ReplayDataSource(
                    ScriptedDataSource(bytes, piece: 700, isSeekable: false), peeking: 1_000)
            }
        }
    }

    /// Reads from here to the end in pieces.
    private func rest(_ source: any DataSource, piece: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: piece)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
            guard count > 0 else { return bytes }
            #expect(count <= piece)
            bytes += buffer.prefix(count)
        }
    }

    private func withSource(
        _ kind: Kind, _ body: (any DataSource, [UInt8]) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        var random = SeededRandom(seed: 8)
        let bytes = (0..<5_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let source = try kind.open(try folder.write("bytes", bytes), bytes)
        try body(source, bytes)
        source.close()
        source.close()
    }

    @Test(
        "every byte once, in pieces of any size, and then nothing", arguments: Kind.allCases,
        [1, 7, 999, 1_000, 1_001, 5_000, 9_999])
    func reads(_ kind: Kind, _ piece: Int) throws {
        try withSource(kind) { source, bytes in
            #expect(source.length == (source.isSeekable ? 5_000 : nil))
            let all = try rest(source, piece: piece)
            #expect(all == bytes)
            let more = try rest(source, piece: piece)
            #expect(more.isEmpty)
        }
    }

    @Test(
        "any offset can be sought, the end and what lies behind it too",
        arguments: Kind.allCases)
    func seeks(_ kind: Kind) throws {
        try withSource(kind) { source, bytes in
            guard source.isSeekable else {
                #expect(throws: MediaError.self) { try source.seek(to: 0) }
                return
            }
            for offset in [0, 1, 999, 1_000, 1_001, 4_999, 5_000, 6_000, 0] {
                try source.seek(to: Int64(offset))
                let all = try rest(source, piece: 512)
                #expect(all == Array(bytes.dropFirst(offset)))
            }
        }
    }

    @Test("a failure comes out, at the look ahead too")
    func failures() throws {
        for number in 0..<3 {
            let error = #expect(throws: MediaError.self) {
                let source = try ReplayDataSource(
                    ScriptedDataSource(
                        [UInt8](repeating: 1, count: 3_000), piece: 600, failingRead: number),
                    peeking: 1_000)
                _ = try rest(source, piece: 100)
            }
            #expect(error == ScriptedDataSource.failure)
        }
    }
}
