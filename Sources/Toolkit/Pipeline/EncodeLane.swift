// The way of a stream that is decoded, changed and encoded, on one thread or on several.

internal import MediaCore
internal import MediaModel

/// Makes the nodes of a lane, each on the thread that will run it.
struct LaneNodes: Sendable {
    /// Packets into frames, cut to the part that is wanted.
    var makeDecoder: @Sendable () throws(MediaError) -> any Node<Packet, Frame>
    /// Frames as the encoder wants them.
    var makeMiddle: @Sendable () throws(MediaError) -> any Node<Frame, Frame>
    /// Frames into packets; opens the writer's lane.
    var makeEncoder: @Sendable () throws(MediaError) -> any Node<Frame, Packet>
}

/// Where the packets of an encoded stream go.
struct LaneEnd: Sendable {
    var writer: MuxWriter
    var index: Int
    var tally: LaneTally

    /// Writes a packet, or the end.
    func write(_ packet: Packet?, turn: Int?) throws(MediaError) {
        if let packet {
            try writer.write(packet, lane: index, turn: turn)
        } else {
            try writer.close(index)
        }
    }
}

/// Everything on the reading thread.
final class InlineLane: Lane {
    private let node: any Node<Packet, Packet>
    private let end: LaneEnd

    init(_ nodes: LaneNodes, end: LaneEnd) throws(MediaError) {
        self.end = end
        node = Joined(
            Joined(try nodes.makeDecoder(), try nodes.makeMiddle()), try nodes.makeEncoder())
    }

    var isDone: Bool { end.tally.isDone }
    var position: MediaTime { end.tally.position }

    func push(_ packet: Packet, turn: Int?) throws(MediaError) {
        try node.process(packet) { output throws(MediaError) in
            try end.write(output, turn: turn)
        }
        try end.writer.endTurn(turn)
    }

    func finish(turn: Int?) throws(MediaError) {
        try node.process(nil) { output throws(MediaError) in try end.write(output, turn: turn) }
        try end.write(nil, turn: turn)
        try end.writer.endTurn(turn)
    }

    func join() {}
}

/// The stages behind the decoder, which frames are pushed into.
final class EncodeStages: Sendable {
    private static let limit = MediaTime(seconds: 1)
    private let middle: Stage<Step<Frame>>
    private let encoder: Stage<Step<Frame>>
    private let writer: Stage<Step<Packet>>

    init(_ nodes: LaneNodes, end: LaneEnd, name: String, run: RunControl) {
        // Encoding is the longest step of most runs, so that writing is taken off its thread.
        let writer = Stage<Step<Packet>>(
            "mk-mux-\(name)", run: run, limit: EncodeStages.limit,
            cost: { $0.cost(EncodeStages.cost) },
            make: { () throws(MediaError) in WriteNode(end) }
        ) { (packet: Step<Packet>?) throws(MediaError) in
            if packet == nil { run.laneEnded() }
        }
        self.writer = writer
        let encoder = Stage<Step<Frame>>(
            "mk-enc-\(name)", run: run, limit: EncodeStages.limit,
            cost: { $0.cost(EncodeStages.cost) },
            make: { () throws(MediaError) in StepNode(try nodes.makeEncoder()) }
        ) { (packet: Step<Packet>?) throws(MediaError) in
            if let packet { try writer.push(packet) } else { writer.finish() }
        }
        self.encoder = encoder
        middle = Stage<Step<Frame>>(
            "mk-flt-\(name)", run: run, limit: EncodeStages.limit, givesWay: true,
            cost: { $0.cost(EncodeStages.cost) },
            make: { () throws(MediaError) in StepNode(try nodes.makeMiddle()) }
        ) { (frame: Step<Frame>?) throws(MediaError) in
            if let frame { try encoder.push(frame) } else { encoder.finish() }
        }
    }

    func push(_ frame: Step<Frame>) throws(MediaError) { try middle.push(frame) }
    func finish() { middle.finish() }
    func nudge() {
        middle.nudge()
        encoder.nudge()
        writer.nudge()
    }
    func join() {
        middle.join()
        encoder.join()
        writer.join()
    }

    @Sendable static func cost(_ packet: Packet) -> Int {
        let time = packet.timeBase.time(ticks: packet.duration)
        return Int(max(time.nanoseconds, 1_000_000))
    }

    @Sendable static func cost(_ frame: Frame) -> Int {
        // A picture costs at least 1/10 s, because few of them fill much memory.
        Int(
            frame.isAudio
                ? frame.duration.nanoseconds : max(frame.duration.nanoseconds, 100_000_000))
    }
}

/// Decoder, filters and encoder each on a thread of its own.
final class ThreadedLane: Lane {
    private static let limit = MediaTime(seconds: 1)
    private let decoder: Stage<Step<Packet>>
    private let stages: EncodeStages
    private let end: LaneEnd

    init(_ nodes: LaneNodes, end: LaneEnd, name: String, run: RunControl) {
        self.end = end
        let stages = EncodeStages(nodes, end: end, name: name, run: run)
        self.stages = stages
        decoder = Stage<Step<Packet>>(
            "mk-dec-\(name)", run: run, limit: ThreadedLane.limit, givesWay: true,
            cost: { $0.cost(EncodeStages.cost) },
            make: { () throws(MediaError) in StepNode(try nodes.makeDecoder()) }
        ) { (frame: Step<Frame>?) throws(MediaError) in
            if let frame { try stages.push(frame) } else { stages.finish() }
        }
    }

    var isDone: Bool { end.tally.isDone }
    var position: MediaTime { end.tally.position }

    func push(_ packet: Packet, turn: Int?) throws(MediaError) {
        try decoder.push(Step(packet, turn: turn, endsTurn: turn != nil))
    }

    func finish(turn: Int?) throws(MediaError) {
        if let turn { try decoder.push(Step(nil, turn: turn)) }
        decoder.finish()
    }

    func nudge() {
        decoder.nudge()
        stages.nudge()
    }

    func join() {
        decoder.join()
        stages.join()
    }
}
