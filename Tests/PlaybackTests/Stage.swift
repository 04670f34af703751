// What the player's tests work with.

import Glibc
import MediaCore
import MediaModel
import Playback
import Plugins
import TestSupport

/// A player on a capturing sink, closed at the end.
final class TestStage: Sendable {
    let registry: PluginRegistry
    let sink = CapturingSink()
    let player: Player
    let events: EventRecorder

    init(
        clock: PlayerConfiguration.Clock = .free,
        scripts: [String: (url: String, steps: [FakeStep])] = [:], plugins: [any Plugin] = [],
        _ change: (inout PlayerConfiguration) -> Void = { _ in }
    ) throws {
        registry = try PluginRegistry(
            BuiltinPlugins.all + plugins + [CapturingSinkPlugin(sink), FakeSourcePlugin(scripts)])
        var configuration = PlayerConfiguration()
        configuration.clock = clock
        configuration.sink = "capture"
        change(&configuration)
        player = try Player(registry: registry, configuration: configuration)
        events = EventRecorder(player)
        // The sink keeps planar Float32.
        try player.add(FilterSpec(.raw("aformat=sample_fmts=fltp"), label: "form"))
    }

    deinit { player.close() }

    func chain(_ text: String) throws(MediaError) -> FilterChain {
        try FilterChain(parsing: text, registry: registry)
    }

    func filter(_ text: String) throws -> FilterSpec {
        guard let spec = try chain(text).filters.first else {
            throw MediaError(.badArgument, "no filter in \(text)")
        }
        return spec
    }

    /// Waits until playback ended, at most so long.
    func end(seconds: Double = 20) throws {
        let token = CancellationToken()
        let (waited, registration) = token.makeChild()
        defer { registration.remove() }
        let timer = Deadline(seconds: seconds, token)
        defer { timer.cancel() }
        try player.waitUntilEnded(cancellation: waited)
    }

    /// A sine whose pitch says which second it is: 100 Hz in the first, 200 Hz in the second, ….
    static let steps = "synth:aevalsrc='sin(2*PI*100*(1+floor(t))*t)*0.5':s=48000:d=10"
    static let sine = "synth:sine=frequency=440:sample_rate=48000:duration=2"
    static let endless = "synth:sine=frequency=440:sample_rate=48000"
}

/// The threads of this process that are the toolkit's or its tests', by name.
func mediakitThreads() -> [String] {
    let tasks = (try? SystemFileSystem().list("/proc/self/task")) ?? []
    return tasks.compactMap { try? readFile("/proc/self/task/\($0)/comm") }
        .map { String(decoding: $0, as: UTF8.self) }.filter { $0.hasPrefix("mk-") }
}

/// Whether no more of them are left than there were, in the end: a thread that was joined is listed
/// for a moment still.
func settles(_ before: [String]) -> Bool {
    let deadline = SystemTimeSource().now + MediaTime(seconds: Sanitizer.patience(10))
    while SystemTimeSource().now < deadline {
        if mediakitThreads().count <= before.count { return true }
        usleep(20_000)
    }
    return false
}

/// Has SIGALRM end this process where it takes longer than `seconds` on a quiet machine.
func setAlarm(seconds: Double) { alarm(UInt32(Sanitizer.patience(seconds))) }

/// Cancels a token after a while.
final class Deadline: Sendable {
    private let isOver = Monitor(false)
    private let thread: WorkerThread

    init(seconds: Double, _ token: CancellationToken) {
        let isOver = self.isOver
        let deadline = SystemTimeSource().now + MediaTime(seconds: Sanitizer.patience(seconds))
        thread = WorkerThread("mk-deadline") {
            if isOver.wait(until: deadline, { $0 ? true : nil }) == nil { token.cancel() }
        }
    }

    func cancel() {
        isOver.withLock { $0 = true }
        thread.join()
    }
}
