// What moves between the stages of a lane: items, and the turns in which they were made.

internal import MediaCore
internal import MediaModel

/// An item and its turn, or only the beginning of the last turn or the end of one.
struct Step<Item: Sendable>: Sendable {
    /// Nothing where the step only says something of its turn.
    var item: Item?
    /// The turn of the reading thread; nil where nobody counts them.
    var turn: Int?
    /// Whether the turn gives nothing behind this item.
    var endsTurn: Bool

    init(_ item: Item?, turn: Int?, endsTurn: Bool = false) {
        self.item = item
        self.turn = turn
        self.endsTurn = endsTurn
    }

    func cost(_ cost: (Item) -> Int) -> Int { item.map(cost) ?? 1 }
}

/// Runs a node on the items of steps; what it emits is of the turn of what went in, what it drains
/// of the last turn.
final class StepNode<Input: Sendable, Output: Sendable>: Node {
    private let node: any Node<Input, Output>
    private var turn: Int?

    init(_ node: any Node<Input, Output>) { self.node = node }

    func process(
        _ step: Step<Input>?, emit: (Step<Output>) throws(MediaError) -> Void
    ) throws(MediaError) {
        if let step { turn = step.turn }
        if step == nil || step?.item != nil {
            try node.process(step?.item) { output throws(MediaError) in
                try emit(Step(output, turn: turn))
            }
        }
        // The end of a turn, and the beginning of the last one, are passed on.
        if let step, let turn, step.endsTurn || step.item == nil {
            try emit(Step(nil, turn: turn, endsTurn: step.endsTurn))
        }
    }

    func flush() { node.flush() }
}

/// Writes the packets of steps and ends their turns.
final class WriteNode: Node {
    private let end: LaneEnd
    private var turn: Int?

    init(_ end: LaneEnd) { self.end = end }

    func process(
        _ step: Step<Packet>?, emit: (Step<Packet>) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard let step else {
            try end.write(nil, turn: turn)
            try end.writer.endTurn(turn)
            return
        }
        turn = step.turn
        if let packet = step.item { try end.write(packet, turn: turn) }
        if step.endsTurn { try end.writer.endTurn(turn) }
    }

    func flush() {}
}
