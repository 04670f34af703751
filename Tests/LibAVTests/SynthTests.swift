// `synth:` sources against FFmpeg's own virtual input.

import MediaCore
import MediaModel
import TestSupport
import Testing

@Suite("synth: sources")
struct SynthTests {
    @Test(
        "equal ffmpeg -f lavfi",
        arguments: [
            "sine=frequency=440:duration=2",
            "anoisesrc=d=1:seed=4:r=32000,aformat=channel_layouts=stereo",
            "testsrc2=size=64x48:rate=10:duration=2",
            "testsrc=size=64x48:rate=10:duration=1[out0];sine=duration=1.3[out1]",
        ])
    func equalsLavfi(_ text: String) throws {
        let folder = try TemporaryFolder()
        let reference = try run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", text, "-map", "0", "-f", "framemd5", "-"])
        let expected = Passage.lines(reference.output)
        #expect(expected.count > 10, "\(reference)")
        let found = try Passage().digest("synth:\(text)", in: folder)
        #expect(found.sorted() == expected.sorted())
    }

    @Test("an endless source stops when it is cancelled")
    func cancels() throws {
        let token = CancellationToken()
        let source = try Passage().open("synth:sine", token)
        #expect(try source.readPacket() != nil)
        token.cancel()
        let error = #expect(throws: MediaError.self) { _ = try source.readPacket() }
        #expect(error?.code == .cancelled)
    }

    @Test("seeking goes on at the packet that holds the time")
    func seeks() throws {
        let source = try Passage().open("synth:sine=duration=10:sample_rate=1000")
        let landed = try source.seek(to: MediaTime(seconds: 5))
        #expect(landed <= MediaTime(seconds: 5) && landed > MediaTime(seconds: 3.9))
        #expect(try source.readPacket()?.time == landed)
        #expect(try source.seek(to: .zero) == .zero)
    }

    @Test(
        "wrong graphs are refused with a reason",
        arguments: [
            ("sin=440", "no filter 'sin'"), ("volume=2", "waits for input"),
            ("sine=frequncy=3", "did you mean 'frequency'"), ("", ""), ("sine,nullsink", ""),
            ("sine=duration=1,anullsink", "nothing comes out"),
        ])
    func refuses(_ text: String, _ reason: String) throws {
        let error = #expect(throws: MediaError.self) { _ = try Passage().open("synth:\(text)") }
        #expect(error?.code == .badArgument, "\(String(describing: error))")
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
}
