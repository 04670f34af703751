// What a player does with calls that cross, and with a medium that ends meanwhile.

import Glibc
import MediaCore
import MediaModel
import Playback
import Plugins
import TestSupport
import Testing

@Suite("Calls of a player that cross", .timeLimit(.minutes(20)))
struct PlayerRaceTests {
    @Test("what comes in behind a close is refused, and nothing is left running")
    func opensBehindClose() async {
        await #expect(processExitsWith: .success) {
            let stage = try TestStage()
            let gate = Gate()
            let isHeld = Gate()
            // The engine waits here, so that the messages behind it come in one go.
            stage.player.addHook(.beforeOpen) { [player = stage.player] request in
                // On the player's own thread this waits for nothing.
                player.close()
                isHeld.open()
                try? gate.pass(CancellationToken())
                request.proceed()
            }
            let player = stage.player
            let codes = Monitor<[MediaError.Code?]>([])
            func note(_ body: @escaping @Sendable () throws(MediaError) -> Void) -> WorkerThread {
                WorkerThread("mk-test") {
                    do throws(MediaError) {
                        try body()
                        codes.withLock { $0.append(nil) }
                    } catch {
                        codes.withLock { $0.append(error.code) }
                    }
                }
            }
            var threads = [note { () throws(MediaError) in _ = try player.open(TestStage.sine) }]
            try isHeld.pass(CancellationToken())
            threads.append(note { () throws(MediaError) in _ = try player.open(TestStage.sine) })
            threads.append(note { () throws(MediaError) in _ = try player.seek(to: .zero) })
            usleep(200_000)
            setAlarm(seconds: 20)
            gate.open()
            for thread in threads { thread.join() }
            player.close()
            let late = codes.withLock { $0.filter { $0 == .invalidState }.count }
            exit(late == 2 && player.snapshot.state == .idle ? 0 : 1)
        }
    }

    @Test("a track chosen when an unseekable source has ended ends at once", arguments: [1, 2])
    func selectsAfterTheEnd(_ wanted: Int) throws {
        let url =
            "synth:sine=frequency=440:sample_rate=48000:duration=1[out0];"
            + "sine=frequency=880:sample_rate=48000:duration=1[out1];"
            + "testsrc2=size=32x24:rate=10:duration=1[out2]"
        let stage = try TestStage(scripts: ["pipe": (url, [.packets(0), .forwardOnly])])
        _ = try stage.player.open("fake:pipe")
        #expect(stage.events.wait(state: "ready", times: 1))
        // Long enough to read everything, which fits into the queues.
        usleep(300_000)
        if wanted == 2 {
            try stage.player.select(.video, stream: nil)
            try stage.player.select(.video, stream: 2)
        } else {
            try stage.player.select(.audio, stream: 1)
        }
        stage.player.play()
        try stage.end()
        #expect(stage.player.snapshot.status == .completion)
    }

    @Test("the position stands once a player has failed (real time)")
    func failedPosition() throws {
        let gate = Gate()
        let failure = MediaError(.inputFailed, "the cable is out")
        let stage = try TestStage(
            clock: .realtime,
            scripts: ["fail": (TestStage.sine, [.packets(30), .stall(gate), .fail(failure)])])
        _ = try stage.player.open("fake:fail")
        stage.player.play()
        #expect(stage.sink.wait(samples: 4800))
        gate.open()
        #expect(throws: failure) { try stage.end() }
        let position = stage.player.snapshot.position
        #expect(position > .zero)
        usleep(100_000)
        #expect(stage.player.snapshot.position == position)
    }

    @Test("play or pause right behind a call of open is about what is opened")
    func playsAtOnce() async throws {
        let gate = Gate()
        let stage = try TestStage(scripts: ["slow": (TestStage.sine, [.stall(gate)])])
        let player = stage.player
        // The engine waits at the hook of the first medium, so that the calls wait in its mailbox.
        let isHeld = Gate()
        let next = Gate()
        player.addHook(.beforeOpen) { request in
            isHeld.open()
            if request.url == "fake:slow" { try? next.pass(CancellationToken()) }
            request.proceed()
        }
        let first = player.beginOpening("fake:slow")
        try isHeld.pass(CancellationToken())
        player.play()
        let second = player.beginOpening(TestStage.sine)
        player.play()
        player.pause()
        player.play()
        next.open()
        #expect(throws: MediaError.self) { try first.wait() }
        _ = try second.wait()
        #expect(player.snapshot.intent.wantsToPlay)
        try stage.end()
        // A play before the call of open is about what was open before.
        player.play()
        _ = try await player.open(TestStage.sine)
        #expect(!player.snapshot.intent.wantsToPlay)
    }

    @Test("an opening that is given up ends by itself and leaves the next one alone")
    func givesUp() throws {
        let gate = Gate()
        let stage = try TestStage(scripts: ["slow": (TestStage.sine, [.stall(gate)])])
        let first = stage.player.beginOpening("fake:slow")
        first.cancel()
        let second = stage.player.beginOpening(TestStage.sine)
        first.cancel()
        let error = #expect(throws: MediaError.self) { try first.wait() }
        #expect(error?.code == .cancelled)
        _ = try second.wait()
        second.cancel()
        stage.player.play()
        try stage.end()
    }
}
