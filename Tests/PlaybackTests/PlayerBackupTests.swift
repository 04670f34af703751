// Another URL in place of one whose pictures can't be decoded, or not fast enough.

import MediaCore
import MediaModel
import Playback
import Plugins
import Synchronization
import TestSupport
import Testing

@Suite("A2.12: a backup URL for what can't be decoded well", .timeLimit(.minutes(20)))
struct PlayerBackupTests {
    @Test("a codec that nothing decodes: open gives the backup, and it plays")
    func unsupported() throws {
        let bench = try BackupBench(off: "hevc")
        bench.answer { [hevc = bench.hevc, h264 = bench.h264] in $0 == hevc.path ? h264.path : nil }
        let info = try bench.player.open(bench.hevc.path)
        #expect(info.url == bench.h264.path)
        bench.player.play()
        try bench.player.waitUntilEnded()
        #expect(bench.pictures.count == bench.h264.count)
        #expect(bench.asked == ["hevc \(bench.hevc.path) decoder-not-found"])
        #expect(bench.switches == ["hevc.mp4 h264.mp4 decoder-not-found"])
        #expect(!bench.events.states.contains("failed"))
    }

    @Test("no hook, no URL, the same URL, no answer: the plain error")
    func refused() throws {
        func error(_ bench: BackupBench) -> MediaError? {
            do {
                _ = try bench.player.open(bench.hevc.path)
                return nil
            } catch {
                return error
            }
        }
        let plain = try #require(error(try BackupBench(off: "hevc")))
        #expect(plain.code == .decoderNotFound)
        #expect(plain.message.contains("video codec not supported"))
        let none = try BackupBench(off: "hevc")
        none.answer { _ in nil }
        #expect(error(none) == plain)
        let same = try BackupBench(off: "hevc")
        same.answer { $0 }
        #expect(error(same) == plain)
        #expect(same.asked.count == 1)
        let silent = try BackupBench(off: "hevc") { $0.hookTimeout = .milliseconds(150) }
        let kept = Mutex<[HookRequest]>([])
        silent.player.addHook(.backupURL) { request in kept.withLock { $0.append(request) } }
        #expect(error(silent) == plain)
        // An answer that comes too late changes nothing.
        for request in kept.withLock({ $0 }) { request.proceed(url: silent.h264.path) }
        _ = try silent.player.open(silent.h264.path)
        #expect(silent.player.snapshot.info?.url == silent.h264.path)
    }

    @Test("backups of backups: each is asked for once, none is tried twice")
    func chains() throws {
        let bench = try BackupBench(off: "hevc")
        let other = try bench.folder.write("other.mp4", try readFile(bench.hevc.path))
        bench.answer { [hevc = bench.hevc, h264 = bench.h264] url in
            url == hevc.path ? other : h264.path
        }
        #expect(try bench.player.open(bench.hevc.path).url == bench.h264.path)
        #expect(bench.asked.count == 2)
        #expect(bench.switches == ["hevc.mp4 h264.mp4 decoder-not-found"])
        let circle = try BackupBench(off: "hevc")
        circle.answer { [hevc = circle.hevc] url in url == hevc.path ? other : hevc.path }
        #expect(throws: MediaError.self) { try circle.player.open(circle.hevc.path) }
        #expect(circle.asked.count == 2)
        // A second handler is asked where the first has none.
        let two = try BackupBench(off: "hevc")
        two.answer { _ in nil }
        two.answer { [h264 = two.h264] _ in h264.path }
        #expect(try two.player.open(two.hevc.path).url == two.h264.path)
    }

    @Test("a backup that can't be opened: its error, and what it stood in for")
    func badBackup() throws {
        let bench = try BackupBench(off: "hevc")
        bench.answer { _ in "/nowhere/backup.mp4" }
        let error = #expect(throws: MediaError.self) { try bench.player.open(bench.hevc.path) }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("in place of") == true)
        #expect(bench.switches.isEmpty)
    }

    @Test("a decoder that fails at once or in the middle", arguments: [1, 40])
    func failing(_ count: Int) throws {
        let failure = MediaError(.pluginUnusable, "the plugin is gone")
        // Where it is, is what was written: on a busy machine too the place is the same.
        let bench = try BackupBench(.broken(after: count, failure)) {
            $0.clock = .free
            $0.disablesAudio = true
        }
        bench.answer { [h264 = bench.h264] _ in h264.path }
        _ = try bench.player.open(bench.hevc.path)
        bench.player.play()
        try bench.player.waitUntilEnded()
        #expect(bench.switches == ["hevc.mp4 h264.mp4 plugin-unusable"])
        let times = bench.pictures
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 < 0.3 })
        #expect(abs((times.last ?? 0) - 2.96) < 0.01)
        #expect(times.count < bench.h264.count + 12)
        let without = try BackupBench(.broken(after: count, failure))
        _ = try without.player.open(without.hevc.path)
        without.player.play()
        #expect(throws: failure) { try without.player.waitUntilEnded() }
    }

    @Test("pictures that come too slowly: on elsewhere at the same position")
    func slow() throws {
        let bench = try BackupBench(.slow(.milliseconds(90))) {
            $0.backupAfterLate = .milliseconds(900)
        }
        bench.answer { [h264 = bench.h264] _ in h264.path }
        _ = try bench.player.open(bench.hevc.path)
        bench.player.play()
        try bench.player.waitUntilEnded()
        #expect(bench.switches == ["hevc.mp4 h264.mp4 timed-out"])
        // Pictures were behind the sound by then, and come again at the place of the sound.
        let times = bench.pictures
        // Where the clock had to wait for each, as on a busy machine, none was left out, and the last
        // one comes again.
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(abs((times.last ?? 0) - 2.96) < 0.01)
        #expect(times.count <= bench.h264.count + 1)
        #expect(bench.events.states.suffix(2) == ["ready", "ended"])
    }

    @Test("too slow, and no other URL: it plays on, and is not asked again")
    func slowOn() throws {
        let bench = try BackupBench(.slow(.milliseconds(70))) {
            $0.backupAfterLate = .milliseconds(500)
        }
        bench.answer { _ in nil }
        _ = try bench.player.open(bench.hevc.path)
        bench.player.play()
        try bench.player.waitUntilEnded()
        #expect(bench.asked.count == 1)
        #expect(bench.pictures.count == bench.hevc.count)
        let warning = bench.events.wait { event in
            if case .warning(let text) = event { text.contains("too slowly") } else { false }
        }
        #expect(warning != nil)
    }

    @Test("too slow, and the answer comes after the end: what has ended stays")
    func answeredTooLate() throws {
        let bench = try BackupBench(.slow(.milliseconds(70))) {
            $0.backupAfterLate = .milliseconds(500)
        }
        let kept = Mutex<[HookRequest]>([])
        bench.player.addHook(.backupURL) { request in kept.withLock { $0.append(request) } }
        _ = try bench.player.open(bench.hevc.path)
        bench.player.play()
        try bench.player.waitUntilEnded()
        let requests = kept.withLock { $0 }
        #expect(requests.count == 1)
        for request in requests { request.proceed(url: bench.h264.path) }
        // The engine takes its messages in order: the answer was taken once this one is.
        try bench.player.use(FilterChain())
        #expect(bench.player.snapshot.state == .ended)
        #expect(bench.switches.isEmpty)
        #expect(bench.events.states.last == "ended")
    }

    @Test("not asked: fast enough, paused, as fast as it can, or switched off")
    func notLate() throws {
        func asked(
            _ trouble: TroubledDecoder.Trouble, _ change: (inout PlayerConfiguration) -> Void,
            _ use: (BackupBench) throws -> Void = { _ in }
        ) throws -> Int {
            let bench = try BackupBench(trouble, change)
            bench.answer { _ in nil }
            _ = try bench.player.open(bench.hevc.path)
            bench.player.play()
            try use(bench)
            try bench.player.waitUntilEnded()
            return bench.asked.count
        }
        // A machine too busy for it is late indeed, but hardly four times.
        let isOnTime = try (0..<4).contains { _ in
            try asked(.slow(.milliseconds(15))) { $0.backupAfterLate = MediaTime(seconds: 2) } == 0
        }
        #expect(isOnTime)
        #expect(try asked(.slow(.milliseconds(60))) { $0.backupAfterLate = .zero } == 0)
        let free = try asked(.slow(.milliseconds(20))) {
            $0.backupAfterLate = .milliseconds(100)
            $0.clock = .free
        }
        #expect(free == 0)
    }

    @Test("a container: the backup is what is written; not in the middle")
    func container() throws {
        let bench = try BackupBench(off: "hevc") {
            $0.sink = "framemd5"
            $0.clock = .free
        }
        bench.answer { [h264 = bench.h264] _ in h264.path }
        _ = try bench.player.open(bench.hevc.path)
        bench.player.play()
        try bench.player.waitUntilEnded()
        let lines = String(decoding: try readFile(bench.output), as: UTF8.self)
            .split(separator: "\n").filter { $0.hasPrefix("0,") }
        #expect(lines.count == bench.h264.count)
    }

    @Test("a seek while the backup is opened is where it goes on")
    func seekMeanwhile() throws {
        let gate = Gate()
        let bench = try BackupBench(
            .broken(after: 30, MediaError(.pluginUnusable, "gone")), gate: gate)
        bench.answer { _ in "fake:gated" }
        _ = try bench.player.open(bench.hevc.path)
        bench.player.play()
        let opener = WorkerThread("mk-test") {
            _ = bench.waitUntilAsked()
            _ = SystemTimeSource().now
            gate.open()
        }
        #expect(bench.waitUntilAsked())
        let landed = try bench.player.seek(to: MediaTime(seconds: 2.5), precision: .exact)
        opener.join()
        #expect(abs(landed.seconds - 2.5) < 0.05)
        try bench.player.waitUntilEnded()
        #expect(abs((bench.pictures.last ?? 0) - 2.96) < 0.01)
    }
}

/// A player with a clip of H.265 that has trouble and one of H.264 that has none.
private final class BackupBench: Sendable {
    let folder: TemporaryFolder
    let hevc: VideoClip
    let h264: VideoClip
    let sink = CapturingSink()
    let player: Player
    let events: EventRecorder
    private let questions = Monitor<[String]>([])

    /// The clips' bytes, made once; each bench has files of its own.
    private static let clips = Result { () throws -> (hevc: [UInt8], h264: [UInt8]) in
        let folder = try TemporaryFolder()
        let hevc = try VideoClip.make(
            "hevc.mp4", in: folder, count: 75,
            ["-c:v", "libx265", "-x265-params", "keyint=20:log-level=none"], sound: true)
        let h264 = try VideoClip.make("h264.mp4", in: folder, count: 75, sound: true)
        return (try readFile(hevc.path), try readFile(h264.path))
    }

    init(
        _ trouble: TroubledDecoder.Trouble? = nil, off: String? = nil, gate: Gate = Gate(),
        _ change: (inout PlayerConfiguration) -> Void = { _ in }
    ) throws {
        let clips = try BackupBench.clips.get()
        folder = try TemporaryFolder()
        hevc = VideoClip(path: try folder.write("hevc.mp4", clips.hevc), count: 75)
        h264 = VideoClip(path: try folder.write("h264.mp4", clips.h264), count: 75)
        let builtin = try #require(
            BuiltinPlugins.all.lazy.compactMap { $0 as? any DecoderPlugin }.first)
        let fake = FakeSourcePlugin(["gated": (url: h264.path, steps: [.stall(gate)])])
        let registry = try PluginRegistry(
            BuiltinPlugins.all + [CapturingSinkPlugin(sink), fake]
                + (trouble.map { [TroubledDecoder(builtin, codec: "hevc", $0)] } ?? []))
        if let off { try registry.setCodecEnabled(off, false) }
        var configuration = PlayerConfiguration()
        configuration.sink = "capture"
        configuration.output = folder.file("out.md5")
        change(&configuration)
        player = try Player(registry: registry, configuration: configuration)
        events = EventRecorder(player)
    }

    deinit { player.close() }

    var output: String { folder.file("out.md5") }

    /// Answers the hook from now on; `url` must not hold the bench, whose player holds it.
    func answer(_ url: @escaping @Sendable (String) -> String?) {
        player.addHook(.backupURL) { [questions] request in
            questions.withLock {
                $0.append(
                    "\(request.codec ?? "?") \(request.url) \(request.error?.code.rawValue ?? "?")")
            }
            request.proceed(url: url(request.url))
        }
    }

    /// What was asked: codec, URL and reason.
    var asked: [String] { questions.withLock { $0 } }

    func waitUntilAsked() -> Bool {
        let deadline = SystemTimeSource().now + MediaTime(seconds: Sanitizer.patience(10))
        return questions.wait(until: deadline) { $0.isEmpty ? nil : true } ?? false
    }

    /// The times of the pictures that came out, in seconds.
    var pictures: [Double] { sink.times.filter { $0.stream == 0 }.map(\.time.seconds) }

    /// The names of both files and the reason's code of each change.
    var switches: [String] {
        func name(_ url: String) -> Substring { url.split(separator: "/").last ?? "" }
        return events.all.compactMap { event in
            guard case .switchedToBackup(let from, let to, let reason) = event else { return nil }
            return "\(name(from)) \(name(to)) \(reason.code.rawValue)"
        }
    }
}
