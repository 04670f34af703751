// Container sinks of a player.

import Glibc
import MediaCore
import MediaModel
import Playback
import Plugins
import TestSupport
import Testing

@Suite("A player that writes", .timeLimit(.minutes(20)))
struct PlayerOutputTests {
    private func play(
        _ url: String, _ registry: PluginRegistry, _ change: (inout PlayerConfiguration) -> Void,
        chain: String = ""
    ) throws {
        var configuration = PlayerConfiguration()
        configuration.clock = .free
        change(&configuration)
        let player = try Player(registry: registry, configuration: configuration)
        defer { player.close() }
        if !chain.isEmpty { try player.use(try FilterChain(parsing: chain, registry: registry)) }
        _ = try player.open(url)
        player.play()
        try player.waitUntilEnded()
    }

    @Test(
        "playing into framemd5 equals ffmpeg -f framemd5, in real time too",
        arguments: [
            ("film.mp4", PlayerConfiguration.Clock.free), ("film.mp4", .realtime),
            ("mono.flac", .realtime), ("gapless.mp3", .free), ("preskip.opus", .free),
        ])
    func framemd5(name: String, clock: PlayerConfiguration.Clock) throws {
        let folder = try TemporaryFolder()
        let recipe = try #require(MediaRecipe.decoded.first { $0.name == name })
        let input = try recipe.make(in: folder)
        let reference = try run("ffmpeg", ["-v", "error", "-i", input, "-f", "framemd5", "-"])
        let registry = try BuiltinPlugins.makeRegistry()
        try play(input, registry) {
            $0.sink = "framemd5"
            $0.output = folder.file("out.md5")
            $0.clock = clock
        }
        func lines(_ bytes: [UInt8]) -> [Substring] {
            String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                .filter { !$0.hasPrefix("#software") }
        }
        let isSame = lines(try folder.read("out.md5")) == lines(reference.output)
        #expect(isSame)
    }

    @Test("the file sink copies pictures bit for bit and filters sound")
    func file() throws {
        let folder = try TemporaryFolder()
        let recipe = try #require(MediaRecipe.decoded.first { $0.name == "film.mp4" })
        let input = try recipe.make(in: folder)
        try play(
            input, try BuiltinPlugins.makeRegistry(),
            {
                $0.sink = "file"
                $0.output = folder.file("out.mp4")
            }, chain: "volume=-6dB")
        func pictures(_ path: String) throws -> String {
            try run(
                "ffmpeg",
                ["-v", "error", "-i", path, "-map", "0:v", "-c", "copy", "-f", "streamhash", "-"]
            ).text
        }
        #expect(try pictures(input) == pictures(folder.file("out.mp4")))
        #expect(try folder.names() == ["film.mp4", "out.mp4"])
    }

    @Test func anOutputThatIsNotCompleteLeavesNothing() throws {
        let folder = try TemporaryFolder()
        var configuration = PlayerConfiguration()
        configuration.sink = "wav"
        configuration.output = folder.file("out.wav")
        let player = try Player(
            registry: try BuiltinPlugins.makeRegistry(), configuration: configuration)
        _ = try player.open(TestStage.endless)
        player.play()
        #expect(try !folder.names().isEmpty)
        player.stop()
        #expect(try folder.names().isEmpty)
        player.close()
    }

    @Test("a seek while a WAV file is written leaves one unbroken file")
    func seekWhileWriting() throws {
        let folder = try TemporaryFolder()
        var configuration = PlayerConfiguration()
        configuration.sink = "wav"
        configuration.output = folder.file("out.wav")
        let player = try Player(
            registry: try BuiltinPlugins.makeRegistry(), configuration: configuration)
        defer { player.close() }
        _ = try player.open(TestStage.steps)
        let landed = try player.seek(to: MediaTime(seconds: 9), precision: .exact)
        #expect(landed == MediaTime(seconds: 9))
        player.play()
        try player.waitUntilEnded()
        let facts = try run(
            "ffprobe",
            ["-v", "error", "-show_entries", "stream=duration", "-of", "csv=p=0"]
                + [folder.file("out.wav")])
        #expect(facts.text.hasPrefix("1.0000"), "\(facts.text)")
    }

    @Test("a reader of standard output that takes nothing holds neither stop nor open nor close")
    func blockedOutput() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0, dup2(ends[1], 1) == 1 else { fatalError("no pipe") }
            var configuration = PlayerConfiguration()
            configuration.clock = .free
            configuration.sink = "wav"
            configuration.output = "-"
            let player = try Player(
                registry: try BuiltinPlugins.makeRegistry(), configuration: configuration)
            func fill() throws {
                _ = try player.open(TestStage.endless)
                player.play()
                usleep(300_000)
            }
            setAlarm(seconds: 20)
            try fill()
            player.stop()
            guard player.snapshot.state == .idle else { exit(1) }
            try fill()
            try fill()
            player.close()
            exit(0)
        }
    }

    @Test("a FIFO that nobody reads, or no more, holds neither stop nor close")
    func blockedFIFO() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        var configuration = PlayerConfiguration()
        configuration.clock = .free
        configuration.sink = "pcm"
        configuration.output = path
        let player = try Player(
            registry: try BuiltinPlugins.makeRegistry(), configuration: configuration)
        let events = EventRecorder(player)
        let opening = player.beginOpening(TestStage.endless)
        #expect(events.wait(state: "opening", times: 1))
        usleep(100_000)
        #expect(player.snapshot.state == .opening)
        player.stop()
        #expect(throws: MediaError.self) { try opening.wait() }
        let token = CancellationToken()
        let canceller = WorkerThread("mk-test") {
            usleep(100_000)
            token.cancel()
        }
        let error = #expect(throws: MediaError.self) {
            try player.open(TestStage.endless, cancellation: token)
        }
        canceller.join()
        #expect(error?.code == .cancelled)
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        _ = try player.open(TestStage.endless)
        player.play()
        usleep(300_000)
        let begin = SystemTimeSource().now
        player.stop()
        #expect(player.snapshot.state == .idle)
        _ = player.beginOpening(TestStage.endless)
        player.close()
        #expect(SystemTimeSource().now - begin < MediaTime(seconds: Sanitizer.patience(30)))
    }

    @Test("output equal to input is refused and the input stays")
    func ontoItself() throws {
        let folder = try TemporaryFolder()
        let recipe = try #require(MediaRecipe.decoded.first { $0.name == "stereo.wav" })
        let input = try recipe.make(in: folder)
        let before = try readFile(input)
        #expect(throws: MediaError.self) {
            try play(input, try BuiltinPlugins.makeRegistry()) {
                $0.sink = "wav"
                $0.output = folder.file("./stereo.wav")
            }
        }
        let isSame = try readFile(input) == before
        #expect(isSame)
        #expect(try folder.names() == ["stereo.wav"])
    }

    @Test("output that can't be written is an error before anything plays")
    func unwritable() throws {
        let registry = try BuiltinPlugins.makeRegistry()
        for (sink, output) in [
            ("wav", "/nowhere/at/all.wav"), ("file", "/tmp/none.nosuchformat"), ("png", "-"),
        ] {
            #expect(throws: MediaError.self) {
                try play(TestStage.sine, registry) {
                    $0.sink = sink
                    $0.output = output
                }
            }
        }
    }
}
