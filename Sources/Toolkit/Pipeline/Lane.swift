// The way of one stream through a run: the protocol, and the way of what is copied.

package import MediaCore
package import MediaModel

/// Takes the packets of one stream of the input, on the reading thread.
package protocol Lane: AnyObject {
    /// Takes the next packet; ends the turn, where there is one, when all of it was written.
    func push(_ packet: Packet, turn: Int?) throws(MediaError)
    /// Says that no more packets come; the rest may still be under way on other threads. Ends the
    /// turn as `push` does.
    func finish(turn: Int?) throws(MediaError)
    /// Has its threads take what they are still waiting to take with more.
    func nudge()
    /// Waits for its threads, if it has any.
    func join()
    /// Whether it wants no more packets, because its part of the input is over.
    var isDone: Bool { get }
    /// How far its output is.
    var position: MediaTime { get }
}

extension Lane {
    /// Takes the next packet, which is written as soon as it can be.
    package func push(_ packet: Packet) throws(MediaError) { try push(packet, turn: nil) }
    /// Says that no more packets come.
    package func finish() throws(MediaError) { try finish(turn: nil) }
    package func nudge() {}
}

/// Hands packets to the writer as they are.
package final class CopyLane: Lane {
    /// What of the input is copied, and how timestamps move.
    package struct Part: Sendable {
        /// What is taken off the timestamps.
        package var shift = MediaTime.zero
        /// Where copying begins, on the input's own timestamps; nil for the start.
        package var start: MediaTime?
        /// Where copying ends, likewise; nil for the end.
        package var end: MediaTime?
        /// Whether reading begins at a keyframe from which pictures lead up to `start`.
        package var leadsIn = false

        /// All of it, as it is.
        package init() {}
    }

    private let stream: StreamInfo
    private let writer: MuxWriter
    private let index: Int
    private let part: Part
    private var isOpen: Bool

    /// Whether the end of the part was reached.
    package private(set) var isDone = false
    /// When the last packet is shown.
    package private(set) var position = MediaTime.zero

    /// Copies to lane `index` of the writer.
    package init(
        _ stream: StreamInfo, to writer: MuxWriter, lane index: Int, part: Part
    ) throws(MediaError) {
        self.stream = stream
        self.writer = writer
        self.index = index
        self.part = part
        isOpen = part.start == nil || (part.leadsIn && stream.kind == .video)
        try writer.open(
            index,
            MuxerStream(
                parameters: stream.parameters, timeBase: stream.timeBase, template: stream,
                frameRate: stream.frameRate))
    }

    package func push(_ packet: Packet, turn: Int?) throws(MediaError) {
        try copy(packet, turn)
        try writer.endTurn(turn)
    }

    private func copy(_ packet: Packet, _ turn: Int?) throws(MediaError) {
        if stream.isAttachedPicture || stream.kind == .attachment {
            try writer.write(packet, lane: index, turn: turn)
            return
        }
        let time = (packet.dts ?? packet.pts).map { packet.timeBase.time(ticks: $0) }
        if let end = part.end, let time, time >= end { isDone = true }
        if isDone { return }
        if !isOpen {
            guard let start = part.start, let shown = packet.time, shown >= start,
                stream.kind != .video || packet.isKeyframe
            else { return }
            isOpen = true
        }
        if let time { position = max(position, time - part.shift) }
        try writer.write(
            packet.shifted(by: -packet.timeBase.ticks(part.shift)), lane: index, turn: turn)
    }

    package func finish(turn: Int?) throws(MediaError) {
        isDone = true
        try writer.close(index)
        try writer.endTurn(turn)
    }

    package func join() {}
}
