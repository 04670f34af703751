// A player from open to close: states, events, places, tracks, hooks.

import Glibc
import MediaCore
import MediaModel
import Playback
import Plugins
import TestSupport
import Testing

@Suite("Player", .timeLimit(.minutes(20)))
struct PlayerTests {
    @Test func statesAndStatusesFollowTheTable() throws {
        let stage = try TestStage()
        let info = try stage.player.open(TestStage.sine)
        #expect(info.streams.count == 1)
        #expect(
            stage.events.wait { if case .stateChanged(.ready) = $0 { true } else { false } } != nil)
        #expect(stage.player.snapshot.status == .prepared)
        stage.player.play()
        try stage.end()
        #expect(stage.sink.sound.frames == 96_000)
        #expect(stage.sink.isFinished)
        #expect(stage.player.snapshot.status == .completion)
        #expect(stage.player.snapshot.position == MediaTime(seconds: 2))
        stage.player.stop()
        #expect(stage.player.snapshot.status == .stopped)
        #expect(stage.events.states == ["opening", "buffering", "ready", "ended", "idle"])
        let statuses = stage.events.names.filter { $0.hasPrefix("status") }
        #expect(
            statuses == [
                "status initialized", "status prepared", "status started", "status completion",
                "status stopped",
            ])
    }

    @Test("pause holds, play goes on, no sample lost (real time)")
    func pauses() throws {
        // The rest of it comes once all was seen, so that it does not end before.
        let gate = Gate()
        let stage = try TestStage(
            clock: .realtime,
            scripts: ["held": (TestStage.sine, [.packets(40), .stall(gate)])])
        _ = try stage.player.open("fake:held")
        stage.player.play()
        #expect(stage.sink.wait(samples: 9600))
        stage.player.pause()
        #expect(!stage.player.snapshot.intent.wantsToPlay)
        #expect(
            stage.events.wait { if case .statusChanged(.paused) = $0 { true } else { false } }
                != nil)
        let held = stage.sink.sound.frames
        let position = stage.player.snapshot.position
        #expect(!stage.sink.wait(samples: held + 9600, seconds: 0.2))
        #expect(stage.player.snapshot.position == position)
        gate.open()
        stage.player.play()
        try stage.end()
        #expect(stage.sink.sound.frames == 96_000)
    }

    @Test("with autoplay it starts by itself once prepared (A2.4)") func startsByItself() throws {
        let stage = try TestStage { $0.autoplay = true }
        _ = try stage.player.open(TestStage.sine)
        try stage.end()
        #expect(stage.sink.sound.frames == 96_000)
        #expect(stage.player.snapshot.status == .completion)
    }

    @Test func realTimeTakesAsLongAsTheMedium() throws {
        let stage = try TestStage(clock: .realtime)
        _ = try stage.player.open(TestStage.sine)
        let start = SystemTimeSource().now
        stage.player.play()
        try stage.end()
        let span = SystemTimeSource().now - start
        #expect(span >= MediaTime(seconds: 1.9))
        #expect(span.seconds <= Sanitizer.patience(7.5), "on a busy machine")
        let early = stage.sink.times.filter { $0.at - start < $0.time - .milliseconds(60) }
        #expect(early.isEmpty, "nothing is written more than 60 ms early")
    }

    @Test("seek while playing: exact to the sample, old frames never come after it")
    func seeks() throws {
        let stage = try TestStage(clock: .realtime)
        _ = try stage.player.open(TestStage.steps)
        stage.player.play()
        #expect(stage.sink.wait(samples: 4800))
        let place = MediaTime(seconds: 7.25)
        let landed = try stage.player.seek(to: place, precision: .exact)
        #expect(landed == place)
        #expect(stage.events.wait(named: "seek_done") != nil)
        let times = stage.sink.times.map(\.time)
        let jump = times.firstIndex { $0 >= place } ?? times.endIndex
        #expect(stage.sink.wait(frames: jump + 3))
        let after = stage.sink.times.map(\.time)[jump...]
        #expect(after.first == place)
        #expect(after.allSatisfy { $0 >= place })
        #expect(Array(after) == after.sorted())
    }

    @Test("many seeks at once: the last one counts, the others say so")
    func seekFlood() throws {
        let stage = try TestStage()
        _ = try stage.player.open(TestStage.steps)
        let codes = Monitor<[String]>([])
        let player = stage.player
        let threads = (1...8).map { second in
            WorkerThread("mk-test") {
                do throws(MediaError) {
                    let at = try player.seek(
                        to: MediaTime(seconds: Double(second)), precision: .exact)
                    codes.withLock { $0.append("\(at.seconds)") }
                } catch {
                    codes.withLock { $0.append(error.code.rawValue) }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(codes.withLock { $0.count } == 8)
        #expect(codes.withLock { $0.allSatisfy { $0 == "cancelled" || Double($0) != nil } })
        let last = try player.seek(to: MediaTime(seconds: 9.5), precision: .exact)
        #expect(last == MediaTime(seconds: 9.5))
        stage.player.play()
        try stage.end()
        #expect(stage.sink.times.last.map { $0.time > MediaTime(seconds: 9.9) } == true)
    }

    @Test func playAfterTheEndBeginsAnew() throws {
        let stage = try TestStage()
        _ = try stage.player.open(TestStage.sine)
        stage.player.play()
        try stage.end()
        stage.player.play()
        #expect(stage.sink.wait(samples: 192_000))
        try stage.end()
        #expect(stage.sink.sound.frames == 192_000)
        #expect(stage.events.states.filter { $0 == "ended" }.count == 2)
    }

    @Test func startAndDurationAreExact() throws {
        let stage = try TestStage { configuration in
            configuration.start = MediaTime(seconds: 3.5)
            configuration.duration = MediaTime(seconds: 1.25)
        }
        _ = try stage.player.open(TestStage.steps)
        stage.player.play()
        try stage.end()
        #expect(stage.sink.sound.frames == 60_000)
        #expect(stage.sink.times.first?.time == MediaTime(seconds: 3.5))
    }

    @Test("two players run at once")
    func twoPlayers() throws {
        let first = try TestStage(clock: .realtime)
        let second = try TestStage(clock: .realtime)
        _ = try first.player.open(TestStage.sine)
        _ = try second.player.open(TestStage.sine)
        first.player.play()
        second.player.play()
        try first.end()
        try second.end()
        #expect(first.sink.sound.frames == 96_000)
        #expect(second.sink.sound.isSame(as: first.sink.sound))
    }

    @Test("tracks are chosen by stream, sound and pictures apart")
    func selects() throws {
        let stage = try TestStage()
        let url =
            "synth:sine=frequency=440:sample_rate=48000:duration=1[out0];"
            + "sine=frequency=880:sample_rate=48000:duration=1[out1];"
            + "testsrc2=size=32x24:rate=10:duration=1[out2]"
        let info = try stage.player.open(url)
        #expect(info.streams.map(\.kind) == [.audio, .audio, .video])
        #expect(stage.player.snapshot.selected == [.audio: 0, .video: 2])
        try stage.player.select(.audio, stream: 1)
        try stage.player.select(.video, stream: nil)
        #expect(stage.player.snapshot.selected == [.audio: 1])
        #expect(throws: MediaError.self) { try stage.player.select(.audio, stream: 2) }
        stage.player.play()
        try stage.end()
        #expect(Set(stage.sink.times.map(\.stream)) == [1])
        #expect(stage.sink.sound.frames == 48_000)
        let changes = stage.events.names.filter { $0 == "track_changed" }
        #expect(changes.count == 2)
    }

    @Test("a stream can be taken away while its frame waits for a paused clock")
    func selectsWhilePaused() async {
        await #expect(processExitsWith: .success) {
            setAlarm(seconds: 20)
            let stage = try TestStage(clock: .realtime)
            let url =
                "synth:sine=frequency=440:sample_rate=48000[out0];"
                + "sine=frequency=880:sample_rate=48000[out1]"
            _ = try stage.player.open(url)
            guard stage.events.wait(state: "ready", times: 1) else { exit(1) }
            try stage.player.select(.audio, stream: 1)
            exit(stage.player.snapshot.selected == [.audio: 1] ? 0 : 2)
        }
    }

    @Test("random seeks, pauses and choices of tracks end in order", arguments: [1, 2, 3])
    func stress(seed: UInt64) throws {
        let stage = try TestStage()
        let url =
            "synth:sine=frequency=440:sample_rate=48000:duration=5[out0];"
            + "sine=frequency=880:sample_rate=48000:duration=5[out1];"
            + "testsrc2=size=32x24:rate=10:duration=5[out2]"
        _ = try stage.player.open(url)
        var random = SeededRandom(seed: seed)
        for _ in 0..<40 {
            let place = MediaTime.milliseconds(Int64(random.next() % 5000))
            switch random.next() % 6 {
            case 0: stage.player.play()
            case 1: stage.player.pause()
            case 2: _ = try stage.player.seek(to: place, precision: .exact)
            case 3: _ = try stage.player.seek(to: place)
            case 4: try stage.player.select(.audio, stream: [nil, 0, 1][Int(random.next() % 3)])
            default: try stage.player.select(.video, stream: [nil, 2][Int(random.next() % 2)])
            }
        }
        try stage.player.select(.audio, stream: 0)
        _ = try stage.player.seek(to: MediaTime(seconds: 4.5), precision: .exact)
        stage.player.play()
        try stage.end()
        #expect(stage.player.snapshot.status == .completion)
        let last = stage.sink.times.last { $0.stream == 0 }
        #expect(last.map { $0.time > MediaTime(seconds: 4.9) } == true)
    }

    @Test func pictureAndSoundEndTogether() throws {
        let stage = try TestStage()
        let url =
            "synth:sine=frequency=440:sample_rate=48000:duration=2[out0];"
            + "testsrc2=size=32x24:rate=10:duration=2[out1]"
        _ = try stage.player.open(url)
        stage.player.play()
        try stage.end()
        #expect(stage.sink.times.filter { $0.stream == 1 }.count == 20)
        #expect(stage.sink.sound.frames == 96_000)
    }

    @Test("properties are observed with an initial call")
    func observes() throws {
        let stage = try TestStage()
        let seen = Monitor<[JSON]>([])
        let observation = try stage.player.observe("status") { value in
            seen.withLock { $0.append(value) }
        }
        _ = try stage.player.open(TestStage.sine)
        stage.player.play()
        try stage.end()
        stage.player.stop()
        observation.cancel()
        let words = seen.withLock { $0.compactMap(\.text) }
        #expect(words.first == "idle")
        #expect(words.last == "stopped")
        #expect(words.contains("completion"))
        #expect(throws: MediaError.self) { try stage.player.observe("statuss") { _ in } }
    }

    @Test("the position is told while playing")
    func positions() throws {
        let stage = try TestStage(clock: .realtime) {
            $0.positionInterval = .milliseconds(100)
        }
        _ = try stage.player.open(TestStage.sine)
        stage.player.play()
        try stage.end()
        let times = stage.events.all.compactMap {
            if case .positionTimer(let time) = $0 { time } else { nil }
        }
        #expect(times.count >= 2, "\(times.count) of about 19 on a busy machine")
        #expect(times == times.sorted())
    }

    @Test("openings without a thread of the caller: async open and seek")
    func asynchronous() async throws {
        let stage = try TestStage()
        let info = try await stage.player.open(TestStage.steps)
        #expect(info.streams.count == 1)
        let landed = try await stage.player.seek(to: MediaTime(seconds: 2), precision: .exact)
        #expect(landed == MediaTime(seconds: 2))
    }
}
