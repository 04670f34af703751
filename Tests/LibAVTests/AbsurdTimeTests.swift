// Media whose timestamps and durations are beyond what any medium can mean.

import Glibc
import MediaCore
import MediaModel
import Plugins
import TestSupport
import Testing

@Suite("Absurd times of a medium")
struct AbsurdTimeTests {
    @Test("a Matroska file whose times and durations are near the end of their range is read on")
    func matroska() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let registry = try BuiltinPlugins.makeRegistry()
            let last = UInt64(Int64.max)
            let media = [
                [cluster(0, [(0, 20), (20, last), (40, 20)])],
                [cluster(0, [(0, 20)]), cluster(last - 5, [(4, 20), (5, last)])],
                [cluster(last - 40, [(0, 20), (20, last)]), cluster(0, [(0, 20)])],
            ]
            var counts: [Int] = []
            for clusters in media {
                let url = try folder.write("\(counts.count).mkv", matroskaFile(clusters))
                let source = try registry.openSource(url, SourceContext(registry: registry))
                source.select([0])
                var count = 0
                while let packet = try source.readPacket() {
                    count += 1
                    guard packet.duration >= 0 else { exit(2) }
                }
                counts.append(count)
                source.close()
            }
            exit(counts == [3, 3, 3] ? 0 : 1)
        }
    }
}

/// An element of EBML: its number, the length, the content.
private func element(_ id: [UInt8], _ content: [UInt8]) -> [UInt8] {
    let length = UInt64(content.count) | 1 << 56
    return id + bigEndian(length) + content
}

private func bigEndian(_ number: UInt64) -> [UInt8] {
    (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
}

/// A cluster with blocks of 20 ms of silence: time within the cluster and duration, in ms.
private func cluster(_ time: UInt64, _ blocks: [(time: UInt8, duration: UInt64)]) -> [UInt8] {
    let groups = blocks.flatMap { block -> [UInt8] in
        let head: [UInt8] = [0x81, 0, block.time, 0]
        return element(
            [0xA0],
            element([0xA1], head + [UInt8](repeating: 0, count: 320))
                + element([0x9B], bigEndian(block.duration)))
    }
    return element([0x1F, 0x43, 0xB6, 0x75], element([0xE7], bigEndian(time)) + groups)
}

/// A Matroska file of one stream, 16-bit sound of 8 kHz.
private func matroskaFile(_ clusters: [[UInt8]]) -> [UInt8] {
    let header = element(
        [0x1A, 0x45, 0xDF, 0xA3],
        element([0x42, 0x82], Array("matroska".utf8)) + element([0x42, 0x87], [4])
            + element([0x42, 0x85], [2]))
    let info = element([0x15, 0x49, 0xA9, 0x66], element([0x2A, 0xD7, 0xB1], [0x0F, 0x42, 0x40]))
    let rate = element([0xB5], bigEndian((8000.0).bitPattern))
    let entry =
        element([0xD7], [1]) + element([0x73, 0xC5], [1]) + element([0x83], [2])
        + element([0x86], Array("A_PCM/INT/LIT".utf8))
        + element([0xE1], rate + element([0x9F], [1]) + element([0x62, 0x64], [16]))
    let tracks = element([0x16, 0x54, 0xAE, 0x6B], element([0xAE], entry))
    return header + element([0x18, 0x53, 0x80, 0x67], info + tracks + clusters.flatMap { $0 })
}
