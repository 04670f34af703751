// The way of sound that was decoded before: it comes from a feed, not from packets.

internal import MediaCore
internal import MediaModel

/// Pulls frames on the reading thread, keeping step with the packets of other streams.
final class InlineFeed {
    private let feed: AudioFeed
    private let node: any Node<Frame, Packet>
    private let end: LaneEnd
    private var time = MediaTime.zero
    private var isEmpty = false

    init(_ feed: AudioFeed, _ nodes: LaneNodes, end: LaneEnd) throws(MediaError) {
        self.feed = feed
        self.end = end
        node = Joined(try nodes.makeMiddle(), try nodes.makeEncoder())
    }

    var position: MediaTime { end.tally.position }

    /// Pulls until `limit`, or to the end where it is nil; false once nothing is left.
    func pull(until limit: MediaTime?) throws(MediaError) -> Bool {
        while !isEmpty {
            if let limit, time >= limit { return true }
            guard let frame = try feed.next() else {
                isEmpty = true
                try node.process(nil) { output throws(MediaError) in try end.write(output) }
                try end.write(nil)
                return false
            }
            time = (frame.time ?? time) + frame.duration
            try node.process(frame) { output throws(MediaError) in try end.write(output) }
            if limit == nil { return true }
        }
        return false
    }
}

/// Pulls frames on a thread of its own.
final class ThreadedFeed {
    private let stages: EncodeStages
    private let thread: WorkerThread
    private let end: LaneEnd

    init(_ feed: AudioFeed, _ nodes: LaneNodes, end: LaneEnd, run: RunControl) {
        self.end = end
        let stages = EncodeStages(nodes, end: end, name: "f", run: run)
        self.stages = stages
        thread = WorkerThread("mk-feed") {
            do throws(MediaError) {
                while let frame = try feed.next() {
                    try run.token.check()
                    try stages.push(frame)
                }
                stages.finish()
            } catch {
                run.fail(error)
            }
        }
    }

    var position: MediaTime { end.tally.position }

    func join() {
        thread.join()
        stages.join()
    }
}
