// What a player does with calls on its own threads, which can't wait for it.

import Glibc
import MediaCore
import MediaModel
import Playback
import Plugins
import TestSupport
import Testing

/// Calls the test for each frame.
private final class CallingSink: Sink {
    private let call: @Sendable () -> Void
    init(_ call: @escaping @Sendable () -> Void) { self.call = call }
    func write(_ frame: Frame, stream: Int) throws(MediaError) { call() }
    func finish() throws(MediaError) {}
}

private struct CallingSinkPlugin: SinkPlugin {
    let info = PluginInfo(name: "calling", summary: "For the test.")
    let container: ContainerPreset? = nil
    let call: @Sendable () -> Void
    func makeSink(_ options: Options) throws(MediaError) -> any Sink { CallingSink(call) }
}

/// A player that does something once, on a thread of its own.
private struct Caller {
    enum Place: CaseIterable { case subscriber, observer, hook, sink }

    private let held = Monitor<Player?>(nil)
    private let isDone = Monitor(false)
    private(set) var player: Player?

    init(_ place: Place, _ act: @escaping @Sendable (Player) -> Void) throws {
        let (held, isDone) = (held, isDone)
        let once: @Sendable () -> Void = {
            var player = held.withLock { held in
                defer { held = nil }
                return held
            }
            guard let caller = player else { return }
            player = nil
            act(caller)
            isDone.withLock { $0 = true }
        }
        let registry = try PluginRegistry(
            BuiltinPlugins.all + [CallingSinkPlugin { if place == .sink { once() } }])
        var configuration = PlayerConfiguration()
        configuration.clock = .free
        configuration.sink = "calling"
        configuration.autoplay = true
        let player = try Player(registry: registry, configuration: configuration)
        self.player = player
        held.withLock { $0 = player }
        switch place {
        case .subscriber:
            _ = player.events.subscribe { if case .mediaInfo = $0 { once() } }
        case .observer:
            _ = try player.observe("status") { if $0 == .string("started") { once() } }
        case .hook:
            player.addHook(.beforeOpen) { request in
                once()
                request.proceed()
            }
        case .sink: break
        }
    }

    /// Lets the player's own thread hold the last reference.
    mutating func letGo() { player = nil }

    /// Whether it was done in time.
    func wait() -> Bool {
        let deadline = SystemTimeSource().now + MediaTime(seconds: Sanitizer.patience(10))
        return isDone.wait(until: deadline) { $0 ? true : nil } ?? false
    }
}

private func failure(_ body: () throws -> Void) -> MediaError? {
    do {
        try body()
        return nil
    } catch {
        return error as? MediaError
    }
}

@Suite("Issue 3, library: calls on a player's own threads", .timeLimit(.minutes(20)))
struct PlayerThreadTests {
    @Test("a subscriber, an observer, a hook and a sink may stop their player")
    func stops() async {
        await #expect(processExitsWith: .success) {
            setAlarm(seconds: 60)
            for place in Caller.Place.allCases {
                let caller = try Caller(place) { $0.stop() }
                let player = try #require(caller.player)
                let opening = player.beginOpening(TestStage.endless)
                guard caller.wait() else { exit(1) }
                _ = try? opening.wait()
                // Answered behind the stop.
                player.stop()
                guard player.snapshot.status == .stopped else { exit(2) }
                player.close()
            }
            exit(0)
        }
    }

    @Test("calls that would wait for the engine are invalid-state there, at once")
    func waits() async {
        await #expect(processExitsWith: .success) {
            setAlarm(seconds: 60)
            for place in Caller.Place.allCases {
                let errors = Monitor<[MediaError]>([])
                let caller = try Caller(place) { player in
                    let found = [
                        failure { _ = try player.open(TestStage.sine) },
                        failure { _ = try player.seek(to: .zero) },
                        failure { try player.select(.audio, stream: nil) },
                        failure { try player.use(FilterChain()) },
                        failure { try player.waitUntilEnded() },
                    ]
                    errors.withLock { $0 = found.compactMap { $0 } }
                    player.pause()
                }
                let player = try #require(caller.player)
                _ = player.beginOpening(TestStage.endless)
                guard caller.wait() else { exit(1) }
                let found = errors.withLock { $0 }
                guard found.count == 5, found.allSatisfy({ $0.code == .invalidState }),
                    found[0].message.hasPrefix("open: a player's own thread can't wait")
                else { exit(2) }
                // It goes on as if nothing had been asked.
                try player.use(FilterChain())
                player.close()
            }
            exit(0)
        }
    }

    @Test("closing there, or letting go of the last reference, leaves no thread behind")
    func closes() async {
        await #expect(processExitsWith: .success) {
            setAlarm(seconds: 120)
            for place in Caller.Place.allCases {
                let before = mediakitThreads()
                for round in 0..<10 {
                    var caller = try Caller(place) { if round % 2 == 0 { $0.close() } }
                    _ = caller.player?.beginOpening(TestStage.endless)
                    if round % 2 == 1 { caller.letGo() }
                    guard caller.wait() else { exit(1) }
                    caller.player?.close()
                }
                guard settles(before) else { exit(2) }
            }
            exit(0)
        }
    }

    @Test("each of two calls of close returns when the player is closed")
    func closesTwice() throws {
        let (isHeld, isOver) = (Gate(), Monitor(false))
        let caller = try Caller(.sink) { _ in
            isHeld.open()
            usleep(500_000)
            isOver.withLock { $0 = true }
        }
        let player = try #require(caller.player)
        _ = player.beginOpening(TestStage.endless)
        try isHeld.pass(CancellationToken())
        let closers = (0..<3).map { _ in
            let wasOver = Monitor(false)
            let thread = WorkerThread("mk-test") {
                player.close()
                let over = isOver.withLock { $0 }
                wasOver.withLock { $0 = over }
            }
            return (thread, wasOver)
        }
        for (thread, wasOver) in closers {
            thread.join()
            #expect(wasOver.withLock { $0 })
        }
    }

    @Test("closing ends subscriptions, so that a subscriber does not keep its player")
    func letsGo() throws {
        weak var kept: Player?
        do {
            let player = try TestStage().registry.makePlayer()
            kept = player
            _ = player.events.subscribe { _ in _ = player.snapshot }
            _ = try player.observe("status") { _ in _ = player.snapshot }
            player.addHook(.beforeOpen) { request in
                _ = player.snapshot
                request.proceed()
            }
            _ = try player.open(TestStage.sine)
            player.close()
            #expect(throws: MediaError.self) { try player.observe("status") { _ in } }
        }
        #expect(kept == nil)
    }

    @Test("an observer hears nothing more once it was cancelled, whatever waits in the mailbox")
    func observations() throws {
        let stage = try TestStage()
        for _ in 0..<50 {
            let isCancelled = Monitor(false)
            let late = Monitor(0)
            let observation = try stage.player.observe("status") { _ in
                if isCancelled.withLock({ $0 }) { late.withLock { $0 += 1 } }
            }
            stage.player.stop()
            stage.player.play()
            observation.cancel()
            isCancelled.withLock { $0 = true }
            stage.player.stop()
            #expect(late.withLock { $0 } <= 1)
        }
    }

    @Test("values that the option table refuses are refused from Swift too")
    func values() throws {
        let changes: [(inout PlayerConfiguration) -> Void] = [
            { $0.positionInterval = .zero }, { $0.duration = MediaTime(seconds: -1) },
            { $0.start = MediaTime(seconds: -0.5) }, { $0.openTimeout = .zero },
            { $0.backupAfterLate = MediaTime(seconds: -1) },
        ]
        for change in changes {
            let error = #expect(throws: MediaError.self) { try TestStage { change(&$0) } }
            #expect(error?.code == .badArgument, "\(String(describing: error))")
        }
    }

    @Test("a label is one that a chain can be written with", arguments: ["", "x y,z", "a=b", " a"])
    func labels(_ label: String) throws {
        let stage = try TestStage()
        let error = #expect(throws: MediaError.self) {
            try stage.player.add(FilterSpec(.raw("volume=-3dB"), label: label))
        }
        #expect(error?.code == .badArgument)
        try stage.player.add(FilterSpec(.raw("volume=-3dB"), label: "höher-1"))
        let chain = stage.player.snapshot.filters
        #expect(try stage.chain(chain.description) == chain)
    }
}

@Suite("Issue 3, library: a player and tasks", .timeLimit(.minutes(20)))
struct PlayerTaskTests {
    @Test("events come as a sequence that ends with close; waiting for the end holds no thread")
    func stream() async throws {
        let stage = try TestStage { $0.autoplay = true }
        let events = stage.player.events.stream()
        let info = try await stage.player.open(TestStage.sine)
        #expect(info.streams.count == 1)
        try await stage.player.waitUntilEnded()
        stage.player.close()
        var names: [String] = []
        for await event in events { names.append(event.name) }
        #expect(names.contains("media_info"))
        #expect(names.contains("ended"))
        for await _ in stage.player.events.stream() { Issue.record("an event after the end") }
    }

    @Test("cancelling a task ends its open and its wait")
    func cancels() async throws {
        let stage = try TestStage()
        let player = stage.player
        let task = Monitor<Task<MediaError.Code?, Never>?>(nil)
        let held = Monitor<HookRequest?>(nil)
        // Cancelled while the engine waits for the hook, which lets nothing go on.
        player.addHook(.beforeOpen) { request in
            guard request.url == TestStage.sine else { return request.proceed() }
            held.withLock { $0 = request }
            task.wait(until: SystemTimeSource().now + MediaTime(seconds: Sanitizer.patience(60))) {
                $0
            }?.cancel()
        }
        let opening = Task { () -> MediaError.Code? in
            do throws(MediaError) {
                _ = try await player.open(TestStage.sine)
                return nil
            } catch {
                return error.code
            }
        }
        task.withLock { $0 = opening }
        #expect(await opening.value == .cancelled)
        _ = try await player.open(TestStage.endless)
        let waiting = Task { () -> MediaError.Code? in
            do throws(MediaError) {
                try await player.waitUntilEnded()
                return nil
            } catch {
                return error.code
            }
        }
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
        #expect(player.snapshot.info != nil)
    }
}

extension PluginRegistry {
    fileprivate func makePlayer() throws(MediaError) -> Player {
        try Player(registry: self, configuration: PlayerConfiguration())
    }
}
