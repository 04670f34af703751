// The threads and queues of one opened medium.

internal import MediaCore
internal import MediaModel
internal import Pipeline

/// Everything that lives as long as a medium is open.
///
/// Threading: the engine's; what its threads share is safe by itself.
final class PlaySession {
    /// Tells reports about this medium from late ones about the one before.
    let number: Int
    let control = DemuxControl()
    let routes = PacketRoutes()
    let clock: PlaybackClock
    let cancellation = CancellationToken()
    /// Changes of the running chain; there is one chain, on the stream of sound that plays.
    var chainControl = ChainControl()
    var info: MediaInfo?
    var output: PlayOutput?
    /// The lanes by stream index.
    var lanes: [Int: PlayLane] = [:]
    var epoch = Epoch()
    /// Lanes whose first frame of the epoch waits, and when it is due.
    var primed: [Int: MediaTime?] = [:]
    /// Whether the clock stands at the epoch's first frame, or has gone on from there.
    var hasBegun = false
    /// Lanes that wait for frames in the middle of the epoch.
    var starved: Set<Int> = []
    /// Lanes that have played the epoch to its end.
    var drained: Set<Int> = []
    var hasSourceEnded = false

    private var reader: WorkerThread?

    init(number: Int, clock: PlaybackClock) {
        self.number = number
        self.clock = clock
    }

    /// Starts to open and read.
    func open(
        _ url: String, registry: PluginRegistry, files: any FileSystem,
        report: @escaping @Sendable (SessionReport) -> Void
    ) {
        let stage = DemuxStage(
            url: url, registry: registry, files: files, cancellation: cancellation,
            control: control, routes: routes, report: report)
        reader = WorkerThread("mk-demux") { stage.run() }
    }

    /// Decoders of sound need some packets before the first one that counts.
    private static let lead = MediaTime.milliseconds(500)

    /// Begins an epoch: what is under way is dropped, reading goes on at `position`.
    ///
    /// A source that can't be sought in goes on from where it stands, which is right for a start.
    func begin(at position: MediaTime, exact: Bool) {
        epoch = epoch.next
        primed = [:]
        hasBegun = false
        starved = []
        drained = []
        hasSourceEnded = false
        clock.enter(epoch, at: position)
        for lane in lanes.values { lane.advance(to: epoch) }
        let isHere = info?.isSeekable == false || (epoch == Epoch(1) && position == .zero)
        let place = exact ? max(.zero, position - PlaySession.lead) : position
        control.begin(
            epoch, at: isHere ? nil : place, target: exact && position > .zero ? position : nil)
    }

    /// Lets a new lane into the epoch under way, or has it wait for the seek that follows.
    func join(_ lane: PlayLane) {
        if info?.isSeekable == true {
            lane.advance(to: epoch.next)
        } else {
            lane.advance(to: epoch)
            lane.begin(epoch, target: nil)
        }
    }

    /// Whether each lane has shown what it begins with.
    var isPrimed: Bool { starved.isEmpty && lanes.keys.allSatisfy { primed[$0] != nil } }

    /// Whether everything has gone out.
    var isDrained: Bool { hasSourceEnded && drained.count == lanes.count }

    /// Ends a lane and waits for its threads.
    func remove(_ index: Int) {
        guard let lane = lanes.removeValue(forKey: index) else { return }
        routes.set(nil, stream: index)
        lane.close()
        lane.join()
        primed[index] = nil
        starved.remove(index)
        drained.remove(index)
    }

    /// Ends all threads and waits for them; an output that is not complete is dropped.
    func close() {
        cancellation.cancel()
        control.stop()
        clock.close()
        for lane in lanes.values { lane.close() }
        for lane in lanes.values { lane.join() }
        reader?.join()
        reader = nil
        lanes = [:]
        output?.abandon()
    }
}
