// Seeking: on a keyframe at or before the target, in containers without an index too.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

extension LibAVDemuxer {
    /// How far before the target the search for a keyframe begins, in microseconds.
    private static let firstStep: Int64 = 500_000
    /// The most bytes of packets that a search keeps; a keyframe found by then must do.
    private static let mostKept = 32 << 20

    /// FFmpeg seeks by decoding time and, without an index, lands anywhere near it; so what comes
    /// then is looked through for a keyframe, from further and further back until there is one.
    func seek(to time: MediaTime) throws(MediaError) -> MediaTime {
        guard context != nil else { throw MediaError(.invalidState, "seek in a closed source") }
        guard info.isSeekable else {
            throw MediaError(
                .inputFailed, "seek in \(info.url.printable): the source can't be sought in")
        }
        let target = time + info.startTime
        let start = info.startTime.microseconds
        var back = hasIndex ? 0 : LibAVDemuxer.firstStep
        while true {
            let from = max(start, target.microseconds - back)
            try jump(to: from, "seek in \(info.url.printable) to \(time)")
            if try land(before: target) || from == start { break }
            back = max(LibAVDemuxer.firstStep, back * 4)
        }
        let first = pending.first { $0.streamIndex == guide } ?? pending.first
        return first?.time.map { max(.zero, $0 - info.startTime) } ?? info.duration ?? time
    }

    /// Whether FFmpeg knows or learns where keyframes are; broadcast containers tell only times.
    private var hasIndex: Bool {
        let flags = context?.pointee.iformat.pointee.flags ?? 0
        return flags & (AVFMT_TS_DISCONT | AVFMT_GENERIC_INDEX) != AVFMT_TS_DISCONT
    }

    /// The stream whose keyframes count.
    private var guide: Int? {
        for kind in [MediaKind.video, .audio] {
            if let best = info.bestStream(kind), !deselected.contains(best.index) {
                return best.index
            }
        }
        return info.streams.first { $0.kind == .audio && !deselected.contains($0.index) }?.index
    }

    /// Moves FFmpeg to a time, in microseconds; behind it, without an index.
    private func jump(to time: Int64, _ title: String) throws(MediaError) {
        pending = []
        continuity?.reset()
        let start = info.startTime.microseconds
        var result: Int32 = -1
        if time == start, !hasIndex {
            // By times, FFmpeg may miss the first packets.
            result = av_seek_frame(context, -1, 0, AVSEEK_FLAG_BYTE)
            try io.check()
        }
        if result < 0 {
            result = avformat_seek_file(context, -1, .min, time, time, 0)
            try io.check()
        }
        // FFmpeg 7 finds no frame near the end of a FLAC without an index; an earlier one serves.
        var back = LibAVDemuxer.firstStep
        var earlier = time
        while result < 0, earlier > start {
            earlier = max(start, time - back)
            result = avformat_seek_file(context, -1, .min, earlier, earlier, 0)
            try io.check()
            back *= 4
        }
        try avCheck(result, title, else: .inputFailed)
        isBeyondEnd = info.size.map { avio_tell(io.context) > $0 } ?? false
    }

    /// Reads on to the target and keeps what comes from its last keyframe on; with an index, the
    /// first keyframe is the one.
    ///
    /// - Returns: whether there was a keyframe before the target.
    private func land(before target: MediaTime) throws(MediaError) -> Bool {
        var kept: [Packet] = []
        var size = 0
        var isFound = false
        defer { pending = kept[...] }
        guard let guide else { return true }
        while size < LibAVDemuxer.mostKept, let packet = try readToLand() {
            size += packet.size
            guard packet.streamIndex == guide else {
                kept.append(packet)
                continue
            }
            guard let time = packet.time else {
                kept.append(packet)
                return true
            }
            if packet.isKeyframe, time <= target {
                isFound = true
                kept.removeAll {
                    $0.streamIndex == guide || !hasIndex && ($0.time ?? time) < time
                }
                size = kept.reduce(packet.size) { $0 + $1.size }
            }
            kept.append(packet)
            let decodingTime = packet.dts.map(packet.timeBase.time(ticks:)) ?? time
            if isFound && hasIndex || decodingTime > target { break }
        }
        return isFound
    }

    /// The next packet; none at a cut, which who reads on gets to know.
    private func readToLand() throws(MediaError) -> Packet? {
        do throws(MediaError) {
            return try readOn()
        } catch {
            guard error.code == .containerMalformed else { throw error }
            return nil
        }
    }
}
