// Packets into frames; damaged packets are skipped.

package import MediaCore
package import MediaModel

/// Decodes one stream and gives its frames their place in time.
///
/// A damaged packet is skipped with a warning; after `damageLimit` of them without a frame between,
/// or where a whole stream gives none, it throws `decode-failed`. Before the first frame behind a
/// seek there is no warning: what comes first may be the end of a frame that began earlier. Sound
/// comes out in ticks of 1 / sample rate, pictures in the stream's ticks, both counted from the
/// container's start.
package final class DecodeNode: Node {
    /// Damaged packets in a row after which decoding is given up.
    package static let damageLimit = 200
    /// Damaged packets in a row that are told one by one; the rest is told in one sentence.
    private static let toldOneByOne = 3

    private let stream: StreamInfo
    private let decoder: any Decoder
    private let warnings: WarningLog
    private let origin: MediaTime
    private let mayBeEmpty: Bool
    private let stop: CancellationToken
    private var timeline: AudioTimeline
    private var damaged = 0
    private var frames = 0
    private var packets = 0
    /// Whether nothing was decoded yet behind a seek.
    private var isSettling: Bool

    /// Decodes `stream` with `decoder`; `origin` is the container's first timestamp.
    ///
    /// - Parameters:
    ///   - startsInside: the first packets come from behind a seek.
    ///   - mayBeEmpty: no packets are no error; for a stream that is chosen near its end.
    ///   - stop: ends the call that is under way with `cancelled`, even where the decoder never
    ///     stops giving frames.
    package init(
        _ stream: StreamInfo, decoder: any Decoder, origin: MediaTime, warnings: WarningLog,
        startsInside: Bool = false, mayBeEmpty: Bool = false,
        stop: CancellationToken = CancellationToken()
    ) {
        isSettling = startsInside
        self.stream = stream
        self.decoder = decoder
        self.warnings = warnings
        self.origin = origin
        self.mayBeEmpty = mayBeEmpty
        self.stop = stop
        timeline = AudioTimeline(origin: origin)
    }

    package func process(
        _ packet: Packet?, emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        if let packet {
            packets += 1
            if stream.kind == .audio { timeline.see(packet) }
        }
        do {
            try decoder.send(packet)
        } catch {
            try skip(error)
            if packet != nil { return }
        }
        try pull(emit)
        if packet == nil { endRow() }
        if packet == nil, frames == 0, packets > 0 || !mayBeEmpty { throw emptiness }
    }

    package func flush() {
        decoder.flush()
        timeline.reset()
        endRow()
        // Players begin with a flush too, where nothing came before.
        if packets > 0 { isSettling = true }
    }

    private func pull(_ emit: (Frame) throws(MediaError) -> Void) throws(MediaError) {
        while true {
            try stop.check()
            let answer: Pull<Frame>
            do {
                answer = try decoder.receive()
            } catch {
                try skip(error)
                continue
            }
            guard case .value(let frame) = answer else { return }
            endRow()
            isSettling = false
            frames += 1
            try emit(stamped(frame))
        }
    }

    private func stamped(_ frame: Frame) -> Frame {
        guard frame.isAudio else {
            guard let pts = frame.pts, origin != .zero else { return frame }
            return frame.stamped(
                pts: frame.timeBase.moved(pts, by: .zero - origin), timeBase: frame.timeBase)
        }
        let rate = max(1, frame.sampleRate)
        let moved = timeline.stamp(frame, rate: rate)
        if let jump = timeline.jump {
            warnings.add(
                "audio stream \(stream.index): timestamps jump back by \(jump.seconds) s; "
                    + "sound goes on without a gap")
        }
        return moved
    }

    private func skip(_ error: MediaError) throws(MediaError) {
        guard error.code == .decodeFailed else { throw error }
        damaged += 1
        guard damaged < DecodeNode.damageLimit else {
            throw MediaError(
                .decodeFailed,
                "\(subject): \(damaged) damaged packets in a row: \(error.message)",
                underlying: error.underlying)
        }
        let told = "\(subject): skipped a damaged packet: \(error.message)"
        if isSettling {
            Log.debug("pipeline", told)
        } else if damaged <= DecodeNode.toldOneByOne {
            warnings.add(told, isDamage: true)
        }
    }

    /// Ends a row of damaged packets.
    private func endRow() {
        if damaged > DecodeNode.toldOneByOne, !isSettling {
            let count = damaged - DecodeNode.toldOneByOne
            warnings.add("\(subject): skipped \(count) more damaged packets behind those")
        }
        damaged = 0
    }

    private var subject: String { "\(stream.kind.rawValue) stream \(stream.index)" }

    private var emptiness: MediaError {
        packets == 0
            ? MediaError(.decodeFailed, "\(subject) is empty")
            : MediaError(
                .decodeFailed, "\(subject): none of its \(packets) packets can be decoded")
    }
}
