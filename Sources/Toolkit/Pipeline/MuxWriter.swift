// The one place where packets of all streams meet and become a file.

package import MediaCore
package import MediaModel

/// Joins the streams of an output, which come from several threads, and writes them.
///
/// Streams keep the order of their lanes. The header waits until each lane is open or closed,
/// because some encoders are known only by their first frame; packets that come before are kept.
/// No lane ever waits for another one here, so that lanes can't block each other.
///
/// Lanes on several threads say for each packet in which turn of the reading thread it was made, and
/// packets are written in the order of turns: which lane was faster does not show. What waits for an
/// earlier turn is limited by the reading thread, which begins no turn while there is no room.
///
/// Thread-safety: safe.
package final class MuxWriter: @unchecked Sendable {
    // Unchecked: the muxer is touched only while the state is held.
    private let state: Monitor<State>
    private let muxer: any Muxer
    private let metadata: [MetadataEntry]
    private let chapters: [Chapter]
    private let isPart: Bool
    private let name: String

    // What may wait for earlier turns, in bytes; each packet counts as some more.
    private static let room = 32 << 20
    private static let packetCost = 256

    private struct State {
        var lanes: [Lane]
        var order = TurnOrder<(packet: Packet, lane: Int)>()
        /// What came before the header.
        var early: [(packet: Packet, lane: Int)] = []
        var hasHeader = false
        /// Whether anything is shown behind the beginning.
        var hasContent = false

        mutating func note(_ packet: Packet, _ lane: Int) {
            if hasContent || lanes[lane].isTimeless { return }
            hasContent = packet.time.map { $0 >= .zero } ?? true
        }
    }

    private struct Lane {
        /// A picture that belongs to the whole and has no time.
        var isTimeless: Bool {
            guard let template = stream?.template else { return false }
            return template.isAttachedPicture || template.kind == .attachment
        }
        var stream: MuxerStream?
        var index: Int?
        var isClosed = false
    }

    /// Makes a writer for so many lanes; `isPart` where only a part of the input `name` was asked
    /// for, whose packets count from its beginning.
    package init(
        _ muxer: any Muxer, lanes count: Int, metadata: [MetadataEntry], chapters: [Chapter],
        isPart: Bool = false, name: String = ""
    ) {
        self.isPart = isPart
        self.name = name
        self.muxer = muxer
        self.metadata = metadata
        self.chapters = chapters
        state = Monitor(State(lanes: Array(repeating: Lane(), count: count)))
    }

    /// Says what the packets of a lane are.
    package func open(_ lane: Int, _ stream: MuxerStream) throws(MediaError) {
        try locked { state throws(MediaError) in
            state.lanes[lane].stream = stream
            try writeHeaderIfComplete(&state)
        }
    }

    /// Takes the next packet of a lane, in its turn where there are any.
    package func write(_ packet: Packet, lane: Int, turn: Int? = nil) throws(MediaError) {
        try locked { state throws(MediaError) in
            state.note(packet, lane)
            guard let turn else {
                try write((packet, lane), &state)
                return
            }
            state.order.add(
                (packet, lane), cost: packet.size + MuxWriter.packetCost, to: turn)
            try writeOrdered(&state)
        }
    }

    // MARK: - Turns

    /// Waits until there is room for another turn; false where there is none until `deadline`.
    func waitForRoom(until deadline: MediaTime) -> Bool {
        state.wait(until: deadline) { $0.order.waiting < MuxWriter.room ? true : nil } ?? false
    }

    /// Begins the next turn of the thread that reads and gives its number.
    func beginTurn() -> Int { state.withLock { $0.order.begin() } }

    /// Says that all packets of a turn were written.
    func endTurn(_ turn: Int?) throws(MediaError) {
        guard let turn else { return }
        try locked { state throws(MediaError) in
            state.order.end(turn)
            try writeOrdered(&state)
        }
    }

    private func writeOrdered(_ state: inout State) throws(MediaError) {
        while let next = state.order.next() { try write(next, &state) }
    }

    private func write(
        _ item: (packet: Packet, lane: Int), _ state: inout State
    ) throws(MediaError) {
        guard state.hasHeader else {
            state.early.append(item)
            return
        }
        // A lane that was never open is left out.
        guard let index = state.lanes[item.lane].index else { return }
        try muxer.write(item.packet, stream: index)
    }

    /// Says that a lane gives nothing more; one that was never open is left out.
    package func close(_ lane: Int) throws(MediaError) {
        try locked { state throws(MediaError) in
            state.lanes[lane].isClosed = true
            try writeHeaderIfComplete(&state)
        }
    }

    /// Writes what comes at the end, once all lanes are closed.
    package func finish() throws(MediaError) {
        try locked { state throws(MediaError) in
            if isPart, !state.hasContent {
                throw MediaError(
                    .badArgument, "\(name.printable): nothing lies in the part that was asked for")
            }
            guard state.hasHeader else {
                throw MediaError(.outputFailed, "the output would have no streams")
            }
            try muxer.finish()
        }
    }

    private func locked(
        _ body: (inout State) throws(MediaError) -> Void
    ) throws(MediaError) {
        try state.withLock { state throws(MediaError) in try body(&state) }
    }

    private func writeHeaderIfComplete(_ state: inout State) throws(MediaError) {
        guard !state.hasHeader, state.lanes.allSatisfy({ $0.stream != nil || $0.isClosed }),
            state.lanes.contains(where: { $0.stream != nil })
        else { return }
        for lane in state.lanes.indices {
            if let stream = state.lanes[lane].stream {
                state.lanes[lane].index = try muxer.addStream(stream)
            }
        }
        try muxer.writeHeader(metadata: metadata, chapters: chapters)
        state.hasHeader = true
        let early = state.early
        state.early = []
        for item in early { try write(item, &state) }
    }
}
