// A medium that does what a test wants: stalls, fails, jumps in time.

public import MediaCore
public import MediaModel

/// Opens once, for good.
///
/// Thread-safety: safe.
public final class Gate: Sendable, Equatable {
    private let isOpen = Monitor(false)

    /// Whether it is the same gate.
    public static func == (a: Gate, b: Gate) -> Bool { a === b }

    /// Makes a closed gate.
    public init() {}

    /// Lets everyone through.
    public func open() { isOpen.withLock { $0 = true } }

    /// Waits until it is open; `cancelled` where the token is first.
    public func pass(_ cancellation: CancellationToken) throws(MediaError) {
        let wake = cancellation.onCancel { [isOpen] in isOpen.withLock { _ in } }
        defer { wake.remove() }
        _ = isOpen.wait { isOpen -> Bool? in
            isOpen || cancellation.isCancelled ? true : nil
        }
        try cancellation.check()
    }
}

/// A step of a scripted medium.
public enum FakeStep: Sendable {
    /// Gives so many packets.
    case packets(Int)
    /// Waits for a gate.
    case stall(Gate)
    /// Throws.
    case fail(MediaError)
    /// Moves the timestamps of everything that follows.
    case jump(MediaTime)
    /// Gives what follows of a kind of streams so much later than the rest.
    case hold(MediaKind, MediaTime)
    /// Calls the test.
    case action(@Sendable () -> Void)
    /// Can't be sought in, from the beginning.
    case forwardOnly
}

/// Opens `fake:NAME` as another medium with a script; what is behind the script comes as it is.
public struct FakeSourcePlugin: MediaSourcePlugin {
    private let scripts: [String: (url: String, steps: [FakeStep])]
    private let opened: @Sendable (String) -> Void

    /// Takes media by name: the URL behind it and what happens before its packets.
    ///
    /// A script that begins with `stall` or `fail` does so while it is opened.
    public init(
        _ scripts: [String: (url: String, steps: [FakeStep])],
        opened: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.scripts = scripts
        self.opened = opened
    }

    /// `fake`.
    public var info: PluginInfo { PluginInfo(name: "fake", summary: "Does what a test wants.") }

    /// 100 for the scheme.
    public func score(url: String) -> Int { url.hasPrefix("fake:") ? 100 : 0 }

    /// Opens what is behind the name.
    public func open(
        _ url: String, _ context: SourceContext
    ) throws(MediaError) -> sending any MediaSource {
        opened(url)
        guard let script = scripts[String(url.dropFirst(5))] else {
            throw MediaError(.notFound, "open \(url): no such script")
        }
        var steps = script.steps[...]
        while let first = steps.first {
            switch first {
            case .stall(let gate): try gate.pass(context.cancellation)
            case .fail(let error): throw error
            default: return try FakeMediaSource(script.url, Array(steps), context)
            }
            steps = steps.dropFirst()
        }
        return try FakeMediaSource(script.url, [], context)
    }
}

/// A medium behind a script.
final class FakeMediaSource: MediaSource {
    let info: MediaInfo
    private let inner: any MediaSource
    private let cancellation: CancellationToken
    private var steps: [FakeStep]
    private var shift = MediaTime.zero
    private var hold: (kind: MediaKind, time: MediaTime)?
    private var held: [Packet] = []

    init(_ url: String, _ steps: [FakeStep], _ context: SourceContext) throws(MediaError) {
        inner = try context.registry.openSource(url, context)
        var info = inner.info
        let isForwardOnly = steps.contains { if case .forwardOnly = $0 { true } else { false } }
        if isForwardOnly { info.isSeekable = false }
        self.info = info
        cancellation = context.cancellation
        self.steps = steps
    }

    func select(_ streams: Set<Int>) { inner.select(streams) }

    func readPacket() throws(MediaError) -> Packet? {
        while let step = steps.first {
            switch step {
            case .packets(let count):
                steps[0] = .packets(count - 1)
                if count > 0 { return try next() }
            case .stall(let gate): try gate.pass(cancellation)
            case .fail(let error): throw error
            case .jump(let time): shift = shift + time
            case .hold(let kind, let time): hold = (kind, time)
            case .action(let action): action()
            case .forwardOnly: break
            }
            steps.removeFirst()
        }
        return try next()
    }

    func seek(to time: MediaTime) throws(MediaError) -> MediaTime { try inner.seek(to: time) }

    func close() { inner.close() }

    private func next() throws(MediaError) -> Packet? {
        while let packet = try inner.readPacket() {
            let moved = packet.shifted(by: packet.timeBase.ticks(shift))
            guard let hold else { return moved }
            held.append(moved)
            // The first of those that are due with those of the kind that is held back.
            let due = held.map { isHeld($0) ? time(of: $0) + hold.time : time(of: $0) }
            guard let place = due.indices.min(by: { due[$0] < due[$1] }),
                due[place] <= time(of: moved)
            else { continue }
            return held.remove(at: place)
        }
        return held.isEmpty ? nil : held.removeFirst()
    }

    private func isHeld(_ packet: Packet) -> Bool {
        info.streams.first { $0.index == packet.streamIndex }?.kind == hold?.kind
    }

    private func time(of packet: Packet) -> MediaTime {
        packet.timeBase.time(ticks: packet.dts ?? packet.pts ?? 0)
    }
}
