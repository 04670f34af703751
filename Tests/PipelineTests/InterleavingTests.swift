// That an output does not depend on which of its streams is ready first.

import Glibc
import MediaCore
import MediaModel
import Pipeline
import TestSupport
import Testing

@Suite("Transcoder: the order of packets is that of what was read")
struct InterleavingTests {
    /// A way to work on a film in which one stream runs far ahead of another.
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var chain = ""
        var rate = 5
        var videoEncoder: String?
        /// What each frame of sound costs, in microseconds.
        var pauses: [UInt32] = [0, 300]
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "slow filters beside copied pictures", chain: "volume=-3dB"),
        Case(name: "sound at half the speed beside copied pictures", chain: "atempo=0.5"),
        Case(name: "sound at twice the speed beside copied pictures", chain: "atempo=2"),
        Case(name: "an encoder of pictures that looks far ahead", rate: 1, videoEncoder: "libx264"),
    ]

    @Test("threads give the order of one thread, and its bytes, fast or slow", arguments: cases)
    func sameOrder(_ row: Case) throws {
        let bench = try Workbench()
        let film = MediaRecipe(
            name: "in.mkv",
            arguments: [
                "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=\(row.rate):duration=60",
                "-f", "lavfi", "-i", "anoisesrc=d=60:c=pink:seed=3:r=16000:a=0.2",
                "-c:v", "mpeg4", "-c:a", "flac",
            ])
        let input = try film.make(in: bench.folder)
        var expected: [UInt8]?
        var order: [String]?
        for (run, threading) in [Threading.inline, .pipelined, .pipelined, .pipelined].enumerated()
        {
            let pause = row.pauses[run % row.pauses.count]
            let (output, _) = try bench.transcode(input, to: "\(run).mkv", chain: row.chain) {
                $0.threading = threading
                $0.settings.isBitExact = true
                $0.settings.videoEncoder = row.videoEncoder
                if row.videoEncoder == nil { $0.extra = ExtraFilters { [Pause(pause)] } }
            }
            let packets = try PacketOrder(of: output).packets.map { "\($0.stream) \($0.time)" }
            #expect(packets.count > 200)
            let isSameOrder = order.map { $0 == packets } ?? true
            #expect(isSameOrder, "run \(run)")
            order = order ?? packets
            // Encoders of pictures have their own idea of the same bytes.
            guard row.videoEncoder == nil else { continue }
            let bytes = try readFile(output)
            let isSame = expected.map { $0 == bytes } ?? true
            #expect(isSame, "run \(run)")
            expected = expected ?? bytes
        }
    }

    /// Lets everything pass, after a while.
    private final class Pause: AudioFilter {
        private let microseconds: UInt32
        init(_ microseconds: UInt32) { self.microseconds = microseconds }
        func configure(
            _ input: AudioFormat, accepting output: AudioFormatSet
        ) throws(MediaError) -> AudioFormat { input }
        func process(
            _ input: Frame?, emit: (Frame) throws(MediaError) -> Void
        ) throws(MediaError) {
            if microseconds > 0 { usleep(microseconds) }
            if let input { try emit(input) }
        }
        func flush() {}
    }
}
