// The way of sound that was decoded before: it comes from a feed, not from packets.

internal import MediaCore
internal import MediaModel

/// Pulls frames on the reading thread, keeping step with the packets of other streams.
final class FeedLane {
    /// What the frames pass.
    private enum Way {
        case inline(any Node<Frame, Packet>)
        case threaded(EncodeStages)
    }

    private let feed: AudioFeed
    private let end: LaneEnd
    private let way: Way
    private var time = MediaTime.zero
    private var isEmpty = false

    /// Makes the way of the frames: on the reading thread where there is no `run` whose threads
    /// they could pass.
    init(
        _ feed: AudioFeed, _ nodes: LaneNodes, end: LaneEnd, run: RunControl?
    ) throws(MediaError) {
        self.feed = feed
        self.end = end
        if let run {
            way = .threaded(EncodeStages(nodes, end: end, name: "f", run: run))
        } else {
            way = .inline(Joined(try nodes.makeMiddle(), try nodes.makeEncoder()))
        }
    }

    /// Whether frames before `limit`, or any where it is nil, are still to come.
    func isBehind(_ limit: MediaTime?) -> Bool {
        guard !isEmpty, let limit else { return !isEmpty }
        return time < limit
    }

    /// Pulls until `limit`, or to the end where it is nil; calls `step` for each frame.
    func pull(
        until limit: MediaTime?, turn: Int?, step: () throws(MediaError) -> Void
    ) throws(MediaError) {
        while isBehind(limit) {
            try step()
            guard let frame = try feed.next() else {
                isEmpty = true
                try finish(turn)
                return
            }
            time = (frame.time ?? time) + frame.duration
            switch way {
            case .inline(let node):
                try node.process(frame) { output throws(MediaError) in
                    try end.write(output, turn: turn)
                }
            case .threaded(let stages): try stages.push(Step(frame, turn: turn))
            }
        }
        switch way {
        case .inline: try end.writer.endTurn(turn)
        case .threaded(let stages):
            if let turn { try stages.push(Step(nil, turn: turn, endsTurn: true)) }
        }
    }

    private func finish(_ turn: Int?) throws(MediaError) {
        switch way {
        case .inline(let node):
            try node.process(nil) { output throws(MediaError) in
                try end.write(output, turn: turn)
            }
            try end.write(nil, turn: turn)
            try end.writer.endTurn(turn)
        case .threaded(let stages):
            if let turn { try stages.push(Step(nil, turn: turn)) }
            stages.finish()
        }
    }

    func nudge() { if case .threaded(let stages) = way { stages.nudge() } }
    func join() { if case .threaded(let stages) = way { stages.join() } }
}
