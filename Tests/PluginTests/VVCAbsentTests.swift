// VVC where nothing decodes it: the medium opens, and says so.

import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("issue 3, A2.15: VVC without its plugin")
struct VVCAbsentTests {
    private static let samples = [
        "testsrc2_320x180_8b_idr.266", "testsrc2_320x180_8b_lead.266", "testsrc2_320x180_8b.mp4",
        "hls.ts", "hls.mp4",
    ]

    /// Runs a script in which VVC is off, as it is where no plugin has it.
    private func script(_ text: String, in folder: TemporaryFolder) throws -> ChildResult {
        let source = "mk.plugins.enable_codec('vvc', false)\n\(text)"
        return try runMediakit([
            "run", "--allow-read", try folder.write("script.lua", source.utf8),
        ])
    }

    @Test("the error and the event name the codec, whatever it is packed in", arguments: samples)
    func named(_ name: String) throws {
        let result = try script(
            """
            local player = mk.player{ sink = "null", clock = "free" }
            player:on("video_codec_not_support", function(event)
              print("event", event.codec, event.stream)
            end)
            print(select(3, player:open("\(Workshop.root)/vvc/samples/\(name)")))
            mk.wait(0)
            """, in: TemporaryFolder())
        #expect(result.status == 0, "\(result)")
        #expect(result.text.contains("decoder-not-found"))
        #expect(result.text.contains("event\tvvc\t0"))
    }

    @Test("a program has the choice of another URL", arguments: samples)
    func backup(_ name: String) throws {
        let result = try script(
            """
            mk.on_backup_url(function(scene, codec, url)
              print(scene, codec, url:match("[^/]+$"))
              return "synth:sine=duration=1"
            end)
            local player = mk.player{ sink = "null", clock = "free" }
            assert(player:open("\(Workshop.root)/vvc/samples/\(name)"))
            player:play()
            assert(player:wait(20))
            print("played", player:info().streams[1].codec)
            """, in: TemporaryFolder())
        #expect(result.status == 0, "\(result)")
        #expect(result.text.contains("vvc\t\(name)"), "\(result)")
        #expect(result.text.contains("played\tpcm"), "\(result)")
    }

    @Test("from the command line: what to do, and the status of unreadable input")
    func program() throws {
        // FFmpeg 7.1 decodes VVC itself.
        let bench = try Bench()
        for name in VVCAbsentTests.samples {
            let path = "\(Workshop.root)/vvc/samples/\(name)"
            let source = try bench.open(path)
            let stream = try #require(source.info.bestStream(.video), "\(name)")
            source.close()
            #expect(stream.parameters.codecName == "vvc")
            guard (try? bench.registry.decoder(for: stream)) == nil else { continue }
            let result = try runMediakit(["play", "--clock", "free", path])
            #expect(result.status == 3)
            #expect(result.errorText.contains("video codec not supported: VVC; name a plugin"))
            let probed = try runMediakit(["probe", path])
            #expect(probed.status == 0)
            #expect(probed.text.contains("video vvc"))
            #expect(!probed.text.contains("0x0"))
        }
    }

    @Test("a copy is whole, or refused with what to do", arguments: ["mkv", "mp4", "avi"])
    func copied(_ ending: String) throws {
        let folder = try TemporaryFolder()
        let bench = try Bench()
        for name in ["testsrc2_320x180_8b.mp4", "testsrc2_320x180_8b_idr.266"] {
            let source = "\(Workshop.root)/vvc/samples/\(name)"
            let result = try runMediakit(
                ["batch", source, "--output", "{stem}.\(ending)"], folder: folder.path)
            let copy = folder.file("\(name.split(separator: ".")[0]).\(ending)")
            guard result.status == 0 else {
                #expect(result.status == 1, "\(result)")
                // A muxer that knows the codec may still miss the times that raw bytes do not have.
                if name.hasSuffix("mp4") || result.errorText.contains("has no stream") {
                    #expect(result.errorText.contains("can't write VVC into"), "\(result)")
                    #expect(result.errorText.contains("--video-encoder"), "\(result)")
                }
                #expect((try? readFile(copy)) == nil)
                continue
            }
            let (before, after) = (try times(source, bench), try times(copy, bench))
            #expect(after.count == before.count)
            // Only these keep when a picture is shown.
            if name.hasSuffix("mp4"), ending != "avi" { #expect(after == before, "\(result)") }
        }
    }

    /// When each picture is shown, in the order of decoding.
    private func times(_ path: String, _ bench: Bench) throws -> [MediaTime?] {
        let source = try bench.open(path)
        defer { source.close() }
        #expect(source.info.streams.map(\.parameters.codecName) == ["vvc"])
        var times: [MediaTime?] = []
        while let packet = try source.readPacket() { times.append(packet.time) }
        return times
    }

    @Test("raw bytes that are no VVC stay what they were")
    func others() throws {
        let folder = try TemporaryFolder()
        let heads: [[UInt8]] = [
            [0, 0, 1, 0, 0x78], [0, 0, 1, 0xB3, 0x79], [0, 1, 0, 0x79], [0, 0, 1],
            [0, 0, 1, 0, 0xF9], [0, 0, 0, 0, 1, 0x40, 0x79],
        ]
        for (number, head) in heads.enumerated() {
            let path = try folder.write("\(number).bin", head + [UInt8](repeating: 7, count: 300))
            let error = #expect(throws: MediaError.self) { try Bench().open(path) }
            #expect(error?.code == .containerMalformed, "\(head)")
        }
    }
}
