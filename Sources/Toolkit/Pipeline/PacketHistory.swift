// The packets from which another decoder can make the frames that have not come out yet.

internal import MediaCore
internal import MediaModel

/// Keeps the packets since the last keyframe whose picture has come out, and which pictures have
/// come out since.
///
/// A keyframe becomes the beginning only when its own picture has come: pictures come in the order
/// they are shown in, so everything before it has come by then, and so have those behind it in the
/// stream that are shown before it and may refer to what lies before (open groups of pictures).
/// Where packets have no timestamps the beginning stays, and pictures are counted.
///
/// Threading: confined.
struct PacketHistory {
    private let limit: Int
    private(set) var packets: [Packet] = []
    private var bytes = 0
    /// The keyframes with a time among the packets: their place, counted from the first packet of
    /// all, and their time.
    private var keyframes: [(place: Int, pts: Int64)] = []
    /// The place of the packet at the beginning.
    private var start = 0
    /// How often a picture of each time has come out since the beginning.
    private var times: [Int64: Int] = [:]
    /// How many pictures have come out since the beginning.
    private var count = 0
    /// The time of the keyframe at the beginning, where its picture has come.
    private var begun: Int64?
    /// Whether all packets have timestamps.
    private var isTimed = true
    /// Whether packets are missing whose pictures may not have come.
    private(set) var isBroken = false
    private var hasKeyframe = false
    /// Packets since a picture came, counted from the first keyframe on.
    private(set) var unanswered = 0

    /// Keeps at most so many bytes of packets.
    init(limit: Int) { self.limit = limit }

    /// Forgets everything, for a seek.
    mutating func removeAll() { self = PacketHistory(limit: limit) }

    /// Keeps a packet that goes to the decoder.
    mutating func append(_ packet: Packet) {
        hasKeyframe = hasKeyframe || packet.isKeyframe
        if hasKeyframe { unanswered += 1 }
        if isBroken, packets.isEmpty, !packet.isKeyframe { return }
        if packet.isKeyframe, let pts = packet.pts {
            keyframes.append((start + packets.count, pts))
        }
        packets.append(packet)
        bytes += packet.size
        isTimed = isTimed && packet.pts != nil
        guard bytes > limit else { return }
        // Too much: what comes next begins at the next keyframe.
        let (hadKeyframe, waited) = (hasKeyframe, unanswered)
        removeAll()
        (hasKeyframe, unanswered, isBroken) = (hadKeyframe, waited, true)
    }

    /// Notes a picture that has come out.
    mutating func note(_ frame: Frame) {
        unanswered = 0
        count += 1
        guard let pts = frame.pts else {
            isTimed = false
            return
        }
        times[pts, default: 0] += 1
        guard isTimed, let key = keyframes.lastIndex(where: { $0.pts == pts }) else { return }
        let gone = keyframes[key].place - start
        if gone > 0 {
            bytes -= packets[..<gone].reduce(0) { $0 + $1.size }
            packets.removeFirst(gone)
            start += gone
            count = 1
        }
        keyframes.removeFirst(key + 1)
        times = [pts: 1]
        begun = pts
        isBroken = false
    }

    /// Whether the picture of the keyframe at the beginning has come.
    ///
    /// What is shown before it then comes of no use. Decoders of H.264 mark pictures that may lack
    /// what they refer to until that keyframe is shown, and would keep whole ones to themselves.
    var hasBegun: Bool { begun != nil }

    /// Tells what has come out already from what has not, when the packets are decoded again.
    var filter: Repetition {
        Repetition(times: isTimed ? times : nil, count: count, beginning: begun)
    }
}

/// Recognises the pictures that had come out before packets were decoded again.
///
/// Threading: confined.
struct Repetition {
    private var times: [Int64: Int]?
    private var count: Int
    private var beginning: Int64?

    fileprivate init(times: [Int64: Int]?, count: Int, beginning: Int64?) {
        self.times = times
        self.count = count
        self.beginning = beginning
    }

    /// Whether nothing is left to recognise.
    var isOver: Bool { times.map(\.isEmpty) ?? (count == 0) }

    /// Whether a picture had come out, or was not to come out.
    mutating func covers(_ frame: Frame) -> Bool {
        guard times != nil, let pts = frame.pts else {
            defer { count = max(0, count - 1) }
            return count > 0
        }
        if let first = beginning {
            // What is shown before the keyframe had come, whole; here it lacks what it refers to.
            if pts < first { return true }
            beginning = nil
        }
        guard let left = times?[pts] else { return false }
        times?[pts] = left > 1 ? left - 1 : nil
        return true
    }
}
