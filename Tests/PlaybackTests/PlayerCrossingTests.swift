// What becomes of calls that the engine comes to late, or that cross what its threads report.

import Glibc
import MediaCore
import MediaModel
import Playback
import TestSupport
import Testing

@Suite("Calls of a player that the engine comes to late", .timeLimit(.minutes(20)))
struct PlayerCrossingTests {
    @Test("play behind an opening that was given up is about the next one")
    func playBehindGivingUp() throws {
        let gate = Gate()
        let stage = try TestStage(scripts: ["slow": (TestStage.sine, [.stall(gate)])])
        let isHeld = Gate()
        let next = Gate()
        stage.player.addHook(.beforeOpen) { request in
            isHeld.open()
            if request.url == "fake:slow" { try? next.pass(CancellationToken()) }
            request.proceed()
        }
        let first = stage.player.beginOpening("fake:slow")
        try isHeld.pass(CancellationToken())
        first.cancel()
        let second = stage.player.beginOpening(TestStage.sine)
        stage.player.play()
        next.open()
        #expect(throws: MediaError.self) { try first.wait() }
        _ = try second.wait()
        #expect(stage.player.snapshot.intent.wantsToPlay)
        try stage.end()
    }

    @Test("an opening that is cancelled while it completes is open, or is not (async)")
    func cancelledWhileOpening() async throws {
        let stage = try TestStage()
        let player = stage.player
        var random = SeededRandom(seed: 7)
        for _ in 0..<200 {
            let task = Task { try? await player.open("synth:sine=duration=0.1") }
            usleep(UInt32(random.next() % 3000))
            task.cancel()
            let isOpen = await task.value != nil
            #expect((player.snapshot.info != nil) == isOpen)
        }
    }

    @Test("an opening that is given up while it completes leaves no player that hangs")
    func givenUpWhileOpening() throws {
        let stage = try TestStage()
        var random = SeededRandom(seed: 8)
        for _ in 0..<200 {
            let opening = stage.player.beginOpening("synth:sine=sample_rate=48000:duration=0.1")
            usleep(UInt32(random.next() % 3000))
            opening.cancel()
            guard (try? opening.wait()) != nil else { continue }
            stage.player.play()
            try stage.end()
        }
    }

    @Test("an ending of a track that was switched off is not the end (real time)")
    func drainedBehindSelect() throws {
        let url =
            "synth:sine=frequency=440:sample_rate=48000:duration=3[out0];"
            + "testsrc2=size=32x24:rate=10:duration=0.5[out1]"
        let stage = try TestStage(clock: .realtime)
        _ = try stage.player.open(url)
        let isHeld = Gate()
        let gate = Gate()
        // The engine waits here while the picture comes to its end.
        let observation = try stage.player.observe("position") { value in
            guard value != .double(0), value != .int(0) else { return }
            isHeld.open()
            try? gate.pass(CancellationToken())
        }
        stage.player.play()
        try isHeld.pass(CancellationToken())
        let player = stage.player
        let selecting = WorkerThread("mk-test") { try? player.select(.video, stream: nil) }
        #expect(stage.sink.wait(samples: 48_000))
        gate.open()
        selecting.join()
        observation.cancel()
        try stage.end()
        #expect(stage.sink.sound.frames == 144_000)
    }

    @Test("play after the end of a container's playback does nothing, and nothing waits for it")
    func containerAfterTheEnd() throws {
        let folder = try TemporaryFolder()
        let stage = try TestStage {
            $0.sink = "wav"
            $0.output = folder.file("a.wav")
        }
        _ = try stage.player.open("synth:sine=sample_rate=48000:duration=0.1")
        stage.player.play()
        try stage.end()
        stage.player.play()
        #expect(!stage.player.snapshot.intent.playsAgain)
        #expect(stage.player.snapshot.status == .completion)
        try stage.end()
    }
}
