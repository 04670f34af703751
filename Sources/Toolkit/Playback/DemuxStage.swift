// The thread that opens and reads a medium.

internal import MediaCore
internal import MediaModel
internal import Pipeline

/// Opens a source, then gives its packets to the lanes of the chosen streams.
///
/// At the end it waits for a seek. Threading: `run` is the body of one thread; the rest is in
/// `DemuxControl`.
struct DemuxStage: Sendable {
    var url: String
    var registry: PluginRegistry
    var files: any FileSystem
    var cancellation: CancellationToken
    var control: DemuxControl
    var routes: PacketRoutes
    var report: @Sendable (SessionReport) -> Void

    func run() {
        let source: any MediaSource
        do {
            source = try registry.openSource(
                url, SourceContext(registry: registry, cancellation: cancellation, files: files))
        } catch {
            report(.openFailed(error))
            return
        }
        defer { source.close() }
        report(.opened(source.info))
        do {
            try read(source)
        } catch {
            report(.failed(error))
        }
    }

    private func read(_ source: any MediaSource) throws(MediaError) {
        var epoch: Epoch?
        var isIdle = true
        var told: Set<String> = []
        while true {
            switch control.next(isIdle: isIdle) {
            case .stop:
                return
            case .select(let streams):
                source.select(streams)
            case .begin(let next, let time, let target):
                if let time { _ = try source.seek(to: time) }
                epoch = next
                isIdle = false
                routes.begin(next, target: target)
            case .read:
                guard let present = epoch else {
                    isIdle = true
                    continue
                }
                if !routes.wantsMore(present) {
                    try routes.finish(present)
                    report(.sourceEnded(present))
                    isIdle = true
                } else if let packet = try source.readPacket() {
                    try routes.push(packet, present) { report(.missing(lane: $0, present)) }
                } else {
                    for remark in source.remarks where told.insert(remark).inserted {
                        Log.write(.warning, "player", remark)
                        report(.warning(remark))
                    }
                    try routes.finish(present)
                    report(.sourceEnded(present))
                    isIdle = true
                }
            }
        }
    }
}

/// Which lane takes the packets of which stream.
///
/// Thread-safety: the reading thread pushes; the engine changes the lanes while it does.
final class PacketRoutes: Sendable {
    private struct State {
        var lanes: [Int: PlayLane] = [:]
        var copies: [Int: CopyEnd] = [:]
        /// How many times as many packets of a lane may wait as usual.
        var reach = 1
        /// The epoch whose last packet was read, until another one begins.
        var ended: Epoch?
    }

    /// How many times as many packets of a lane may wait while another lane is dry.
    private static let furthest = 5

    private let state = Monitor(State())

    /// Sends packets of a stream to a lane, or nowhere; where no more come, the lane is told.
    func set(_ lane: PlayLane?, stream: Int) {
        let ended = state.withLock { state in
            state.lanes[stream] = lane
            return state.ended
        }
        if let ended { lane?.finish(ended) }
    }

    /// Sends packets of a stream to the writer.
    func set(_ copy: CopyEnd, stream: Int) { state.withLock { $0.copies[stream] = copy } }

    /// Whether any stream still wants packets of an epoch.
    func wantsMore(_ epoch: Epoch) -> Bool {
        state.withLock { state in
            state.lanes.values.contains { !$0.isDone(epoch) }
                || state.copies.values.contains { !$0.isDone }
        }
    }

    func begin(_ epoch: Epoch, target: MediaTime?) {
        state.withLock { state in
            state.reach = 1
            state.ended = nil
        }
        for lane in lanes { lane.begin(epoch, target: target) }
    }

    /// Hands a packet on, as soon as its lane has room.
    ///
    /// Where another lane is dry meanwhile, what it waits for lies further on in the medium, or
    /// nowhere: more packets than usual are taken from then on in the epoch, and where that does not
    /// help either, `missing` is told which lane has none.
    func push(
        _ packet: Packet, _ epoch: Epoch, missing: (_ lane: Int) -> Void
    ) throws(MediaError) {
        let (lane, copy) = state.withLock { state in
            (state.lanes[packet.streamIndex], state.copies[packet.streamIndex])
        }
        if let copy { try copy.push(packet) }
        guard let lane else { return }
        var reach = state.withLock { $0.reach }
        while !lane.push(packet, epoch, reach: reach) {
            let dry = lanes.filter { $0 !== lane && $0.isDry(epoch) }
            guard !dry.isEmpty else { continue }
            if reach == PacketRoutes.furthest { for other in dry { missing(other.index) } }
            reach = PacketRoutes.furthest
            state.withLock { $0.reach = PacketRoutes.furthest }
        }
    }

    func finish(_ epoch: Epoch) throws(MediaError) {
        state.withLock { $0.ended = epoch }
        for lane in lanes { lane.finish(epoch) }
        for copy in state.withLock({ $0.copies.values }) { try copy.finish() }
    }

    private var lanes: [PlayLane] { state.withLock { Array($0.lanes.values) } }
}

/// The copied stream of a container output, used on the reading thread only.
final class CopyEnd: @unchecked Sendable {
    // Unchecked: made by the engine before reading begins, then used by the reading thread alone.
    private let lane: CopyLane
    private let done = Monitor(false)

    init(_ lane: sending CopyLane) { self.lane = lane }

    var isDone: Bool { done.withLock { $0 } }

    func push(_ packet: Packet) throws(MediaError) {
        try lane.push(packet)
        if lane.isDone { done.withLock { $0 = true } }
    }

    func finish() throws(MediaError) {
        try lane.finish()
        done.withLock { $0 = true }
    }
}
