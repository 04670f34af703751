// The last nodes of a lane that plays: a continuous timeline, whole frames, a sink.

internal import MediaCore
internal import MediaModel
internal import Pipeline

/// Makes one continuous stream of what is heard: it begins at zero and goes on over seeks.
final class OutputTimeline: Node {
    private let origin: MediaTime
    private var shift: Int64?
    private var end: MediaTime?

    /// Counts from `origin` in the medium.
    init(origin: MediaTime) { self.origin = origin }

    func process(
        _ frame: Frame?, emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard let frame, let pts = frame.pts else { return }
        let base = frame.timeBase
        let taken = shift ?? (end.map { pts - base.ticks($0) } ?? base.ticks(origin))
        shift = taken
        end = base.time(ticks: pts - taken) + frame.duration
        try emit(taken == 0 ? frame : frame.stamped(pts: pts - taken, timeBase: base))
    }

    /// The next frame goes on where the last one ended.
    func flush() { if end != nil { shift = nil } }
}

/// Makes the frames behind a chain as long as those that were cut into blocks before it.
final class RejoinNode: Node {
    private let inner: any Node<Frame, Frame>
    private var lengths: [Int] = []
    private var rate = 0
    private var queue = SampleQueue()

    /// Wraps a chain.
    init(_ inner: any Node<Frame, Frame>) { self.inner = inner }

    /// Says that blocks follow which were one frame.
    func expect(_ length: Int, rate: Int) {
        self.rate = rate
        lengths.append(length)
    }

    func process(
        _ frame: Frame?, emit: (Frame) throws(MediaError) -> Void
    ) throws(MediaError) {
        try inner.process(frame) { output throws(MediaError) in
            if output.sampleRate == rate {
                queue.append(output)
            } else {
                try emit(output)
            }
        }
        while let length = lengths.first, let whole = queue.gather(length) {
            lengths.removeFirst()
            try emit(whole)
        }
        guard frame == nil else { return }
        if let rest = queue.gather(queue.count) { try emit(rest) }
        lengths = []
    }

    func flush() {
        inner.flush()
        queue.removeAll()
        lengths = []
    }
}

/// What a lane runs behind its queue of frames.
struct LaneTail {
    /// Everything.
    var node: any Node<Frame, Packet>
    /// The part that joins blocks; nil where frames are not to keep their length.
    var rejoin: RejoinNode?
}

/// Hands frames to a sink; nothing comes out.
final class SinkNode: Node {
    private let sink: any Sink
    private let stream: Int

    /// Hands the frames of a stream to `sink`.
    init(_ sink: any Sink, stream: Int) {
        self.sink = sink
        self.stream = stream
    }

    func process(
        _ frame: Frame?, emit: (Packet) throws(MediaError) -> Void
    ) throws(MediaError) {
        if let frame { try sink.write(frame, stream: stream) }
    }

    func flush() {}
}
