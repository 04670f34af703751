// What a player does when media, hooks, sinks or callers fail.

import Glibc
import MediaCore
import MediaModel
import Playback
import Plugins
import TestSupport
import Testing

@Suite("Failures of a player", .timeLimit(.minutes(20)))
struct PlayerFailureTests {
    private func code(_ body: () throws -> Void) -> MediaError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? MediaError)?.code
        }
    }

    private func span(_ body: () throws -> Void) rethrows -> MediaTime {
        let start = SystemTimeSource().now
        try body()
        return SystemTimeSource().now - start
    }

    @Test func aMissingFileFailsAndAnotherOpens() throws {
        let stage = try TestStage()
        #expect(code { _ = try stage.player.open("/nowhere/at/all.wav") } == .notFound)
        #expect(stage.player.snapshot.status == .error)
        #expect(stage.events.wait(named: "error") != nil)
        #expect(code { try stage.player.waitUntilEnded() } == .notFound)
        _ = try stage.player.open(TestStage.sine)
        stage.player.play()
        try stage.end()
    }

    @Test("opening that stalls: deadline, cancellation, stop, close")
    func stalledOpening() throws {
        let gate = Gate()
        let scripts = ["stall": (url: TestStage.sine, steps: [FakeStep.stall(gate)])]
        let stage = try TestStage(scripts: scripts) { $0.openTimeout = .milliseconds(200) }
        #expect(code { _ = try stage.player.open("fake:stall") } == .timedOut)
        let patient = try TestStage(scripts: scripts)
        let token = CancellationToken()
        let timer = Deadline(seconds: 0.2, token)
        #expect(
            code { _ = try patient.player.open("fake:stall", cancellation: token) } == .cancelled)
        timer.cancel()
        #expect(patient.player.snapshot.state == .idle)
        let stopper = WorkerThread("mk-test") {
            _ = patient.events.wait(state: "opening", times: 2, seconds: 5)
            patient.player.close()
        }
        #expect(code { _ = try patient.player.open("fake:stall") } == .cancelled)
        stopper.join()
        #expect(code { _ = try patient.player.open(TestStage.sine) } == .invalidState)
    }

    @Test("reading that stalls or fails ends the player at once")
    func stalledReading() throws {
        let gate = Gate()
        let failure = MediaError(.inputFailed, "the cable is out")
        let stage = try TestStage(scripts: [
            "stall": (TestStage.sine, [.packets(3), .stall(gate)]),
            "fail": (TestStage.sine, [.packets(30), .fail(failure)]),
        ])
        _ = try stage.player.open("fake:stall")
        stage.player.play()
        #expect(stage.sink.wait(frames: 2))
        // The gate is never opened.
        #expect(span { stage.player.stop() }.seconds < Sanitizer.patience(10))
        _ = try stage.player.open("fake:fail")
        stage.player.play()
        #expect(code { try stage.end() } == .inputFailed)
        #expect(stage.player.snapshot.state == .failed(failure))
    }

    @Test(
        "a source that runs dry in real time: the clock waits, then goes on without a lost sample")
    func underrun() throws {
        let gate = Gate()
        let stage = try TestStage(
            clock: .realtime,
            scripts: ["slow": (TestStage.sine, [.packets(20), .stall(gate)])])
        _ = try stage.player.open("fake:slow")
        stage.player.play()
        #expect(stage.sink.wait(samples: 20 * 1024))
        // The engine takes its messages in order: it knows of all these frames once this is done,
        // and the clock, which a busy machine may have stopped before, runs on without more.
        try stage.player.use(stage.player.snapshot.filters)
        #expect(stage.events.wait(lastState: "buffering"))
        let position = stage.player.snapshot.position
        let times = stage.events.states.count { $0 == "ready" } + 1
        #expect(!stage.events.wait(state: "ready", times: times, seconds: 0.1))
        #expect(stage.player.snapshot.position == position)
        #expect(stage.player.snapshot.status == .started)
        gate.open()
        try stage.end()
        #expect(stage.sink.sound.frames == 96_000)
        // A busy machine may let it run dry more than once.
        let states = stage.events.states
        #expect(states.starts(with: ["opening", "buffering", "ready", "buffering", "ready"]))
        #expect(states.last == "ended")
        let turns = states.dropFirst().dropLast()
        #expect(turns.enumerated().allSatisfy { $1 == ($0 % 2 == 0 ? "buffering" : "ready") })
        #expect(turns.last == "ready")
    }

    @Test func callsOutOfPlaceAreRefused() throws {
        let stage = try TestStage()
        #expect(code { _ = try stage.player.seek(to: .zero) } == .invalidState)
        #expect(code { try stage.player.select(.audio, stream: 0) } == .invalidState)
        stage.player.play()
        stage.player.stop()
        #expect(stage.player.snapshot.status == .idle)
        let unknown = PlayerConfiguration()
        var wrong = unknown
        wrong.sink = "nul"
        #expect(
            code { _ = try Player(registry: stage.registry, configuration: wrong) } == .badArgument)
    }

    @Test("hooks may rewrite the URL before opening and after a failure")
    func hooks() throws {
        let stage = try TestStage()
        let seen = Monitor<[String]>([])
        stage.player.addHook(.beforeOpen) { request in
            seen.withLock { $0.append("before \(request.url)") }
            request.proceed(url: request.url == "alias" ? "/nowhere.wav" : nil)
        }
        stage.player.addHook(.openFailed) { request in
            let code = request.error?.code.rawValue ?? "none"
            seen.withLock { $0.append("failed \(request.url) \(code)") }
            request.proceed(url: TestStage.sine)
        }
        let info = try stage.player.open("alias")
        #expect(info.url == TestStage.sine)
        #expect(seen.withLock { $0 } == ["before alias", "failed /nowhere.wav not-found"])
    }

    @Test("a hook that never answers delays opening only until its deadline")
    func silentHook() throws {
        let stage = try TestStage { $0.hookTimeout = .milliseconds(200) }
        let kept = Monitor<[HookRequest]>([])
        stage.player.addHook(.beforeOpen) { request in kept.withLock { $0.append(request) } }
        _ = try stage.player.open(TestStage.sine)
        #expect(stage.events.wait(named: "warning") != nil)
        kept.withLock { $0 }.first?.proceed(url: "/too/late.wav")
        #expect(stage.player.snapshot.info?.url == TestStage.sine)
    }

    @Test("a hook that always names another bad URL ends after some tries")
    func endlessHook() throws {
        let stage = try TestStage()
        stage.player.addHook(.openFailed) { $0.proceed(url: "/nowhere/again.wav") }
        #expect(code { _ = try stage.player.open("/nowhere.wav") } == .notFound)
    }

    @Test("no thread is left when players are closed, playing, paused, failed or stalled")
    func noThreadIsLeft() async throws {
        await #expect(processExitsWith: .success) {
            let gate = Gate()
            let before = mediakitThreads()
            for round in 0..<4 {
                let stage = try TestStage(
                    clock: round % 2 == 0 ? .free : .realtime,
                    scripts: ["stall": (TestStage.sine, [.packets(3), .stall(gate)])])
                for url in [TestStage.endless, "fake:stall", "/nowhere.wav", TestStage.sine] {
                    _ = try? stage.player.open(url)
                    stage.player.play()
                    _ = stage.sink.wait(frames: 3, seconds: 1)
                    if url == TestStage.endless {
                        _ = try? stage.player.seek(to: MediaTime(seconds: 1))
                        stage.player.pause()
                    }
                }
                stage.player.close()
            }
            exit(settles(before) ? 0 : 1)
        }
    }
}
