// Containers into packets.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// A container that FFmpeg reads out of a data source.
///
/// Packets keep the timestamps of the container, which begins at `MediaInfo.startTime`. Threading:
/// confined.
final class LibAVDemuxer: MediaSource {
    private(set) var info: MediaInfo
    private(set) var context: UnsafeMutablePointer<AVFormatContext>?
    let io: AVIOBridge
    private let cancellation: CancellationToken
    private let timeBases: [TimeBase]
    private(set) var deselected: Set<Int> = []
    var continuity: Continuity?
    /// Packets that a seek has read already.
    var pending: ArraySlice<Packet> = []
    /// Whether a seek went behind the last byte, where the end is no sign of a cut file.
    var isBeyondEnd = false
    private(set) var remarks: [String] = []
    private var extent = DeclaredExtent()

    /// Opens and probes; the container may open nothing else by itself.
    init(_ bytes: any DataSource, url: String, _ cancellation: CancellationToken)
        throws(MediaError)
    {
        io = AVIOBridge(reading: bytes, cancellation)
        self.cancellation = cancellation
        let facts = (size: bytes.length, isSeekable: bytes.isSeekable)
        let opened = try LibAVDemuxer.open(io, url: url, isSeekable: facts.isSeekable)
        context = opened
        info = MediaInfo(copying: opened, url: url, source: facts)
        timeBases = info.streams.map(\.timeBase)
        let mayJump = (opened.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT) != 0
        continuity = mayJump ? Continuity(info.streams.map(\.kind)) : nil
    }

    deinit { close() }

    func select(_ streams: Set<Int>) {
        guard let context else { return }
        for index in 0..<Int(context.pointee.nb_streams) {
            context.pointee.streams[index]?.pointee.discard =
                streams.contains(index) ? AVDISCARD_DEFAULT : AVDISCARD_ALL
        }
        deselected = Set(timeBases.indices).subtracting(streams)
        pending.removeAll { deselected.contains($0.streamIndex) }
    }

    func readPacket() throws(MediaError) -> Packet? {
        if let packet = pending.popFirst() { return packet }
        return try readOn()
    }

    /// The next packet of the container.
    func readOn() throws(MediaError) -> Packet? {
        guard let context else { return nil }
        while true {
            try cancellation.check()
            guard let packet = av_packet_alloc() else { fatalError("out of memory") }
            io.didReadPastEnd = false
            let result = av_read_frame(context, packet)
            guard result >= 0 else {
                var packet: UnsafeMutablePointer<AVPacket>? = packet
                av_packet_free(&packet)
                if result == AVResult.again { continue }
                try io.check()
                let isCut =
                    !isBeyondEnd
                    && (io.didReadPastEnd || context.pointee.announces(more: info.size))
                if result == AVResult.end, !isCut {
                    remarks = extent.remarks(on: info, context, without: deselected)
                    if remarks.isEmpty { remarks = DeclaredSize.remarks(on: context, info) }
                    return nil
                }
                throw readError(result, isCut: isCut)
            }
            // A stream that appears later than the header was not announced to anyone.
            let index = Int(packet.pointee.stream_index)
            // Nor does FFmpeg hold covers back that were queued before the selection.
            guard index < timeBases.count, !deselected.contains(index) else {
                var packet: UnsafeMutablePointer<AVPacket>? = packet
                av_packet_free(&packet)
                continue
            }
            packet.dropAbsurdTimes(timeBases[index])
            if let jump = continuity?.join(packet, timeBases[index]) {
                Log.info(
                    "demux",
                    "\(info.url.printable): timestamps jump by \(jump) µs in stream \(index)")
            }
            extent.see(packet, timeBases[index])
            return Packet(owning: packet, timeBase: timeBases[index])
        }
    }

    func close() {
        pending = []
        avformat_close_input(&context)
        io.close()
    }

    private func readError(_ result: Int32, isCut: Bool) -> MediaError {
        let url = info.url.printable
        guard isCut || result == AVResult.invalid else {
            return .av(result, "read \(url)", else: .inputFailed)
        }
        let size = info.size.map { " after \($0) bytes" } ?? ""
        return MediaError(
            .containerMalformed,
            isCut
                ? "read \(url): the file ends early\(size); it was cut off, get it again"
                : "read \(url): the \(info.containerName) data is damaged",
            underlying: .init(.av, Int(result)))
    }

    private static func open(
        _ io: AVIOBridge, url: String, isSeekable: Bool
    ) throws(MediaError) -> UnsafeMutablePointer<AVFormatContext> {
        var context = avformat_alloc_context()
        guard let made = context else { fatalError("out of memory") }
        made.pointee.pb = io.context
        made.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        var attempts: Int32 = 0
        var options = AVDictionaryHandle(["protocol_whitelist": ""])
        let (opened, complaints) = AVLogBridge.collecting {
            withUnsafeMutablePointer(to: &attempts) { attempts in
                mk_forbid_open(made, attempts)
                let result = options.lend { options in
                    url.withOSPath { avformat_open_input(&context, $0, nil, &options) }
                }
                context?.pointee.opaque = nil
                return result
            }
        }
        if io.error != nil { avformat_close_input(&context) }
        try io.check()
        if opened < 0, attempts > 0 {
            throw MediaError(
                .containerUnsupported,
                "open \(url.printable): this only names other files or addresses; open one of those"
            )
        }
        guard opened >= 0, let context else {
            throw openError(opened, url, complaints)
        }
        if !isSeekable, context.pointee.hasPassedItsMedia {
            var context: UnsafeMutablePointer<AVFormatContext>? = context
            avformat_close_input(&context)
            throw MediaError(
                .inputFailed,
                "open \(url.printable): its index comes behind the media, which takes an input "
                    + "that can be sought in; save it to a file first")
        }
        let found = avformat_find_stream_info(context, nil)
        if found < 0 || io.error != nil {
            var context: UnsafeMutablePointer<AVFormatContext>? = context
            avformat_close_input(&context)
            try io.check()
            throw openError(found, url, [])
        }
        NewerCodecs.name(context)
        guard
            (0..<Int(context.pointee.nb_streams)).contains(where: { index in
                context.pointee.streams[index]?.pointee.codecpar.pointee.isComplete ?? false
            })
        else {
            var context: UnsafeMutablePointer<AVFormatContext>? = context
            avformat_close_input(&context)
            throw openError(AVResult.invalid, url, ["no stream in it makes sense"])
        }
        return context
    }

    private static func openError(
        _ result: Int32, _ url: String, _ complaints: [String]
    ) -> MediaError {
        let reason = complaints.last.map { " (\($0.withoutLogPrefix))" } ?? ""
        if result == AVResult.invalid || result == AVResult.end {
            return MediaError(
                .containerMalformed,
                "open \(url.printable): this is no media file that can be read\(reason)",
                underlying: .init(.av, Int(result)))
        }
        let error = MediaError.av(result, "open \(url.printable)", else: .containerUnsupported)
        return MediaError(error.code, error.message + reason, underlying: error.underlying)
    }
}

extension AVFormatContext {
    /// Whether the container's index names bytes that were read and can't be come back to.
    fileprivate var hasPassedItsMedia: Bool {
        guard let input = pb else { return false }
        let buffered = input.pointee.buf_end - input.pointee.buffer
        return (0..<Int(nb_streams)).contains { number in
            guard let stream = streams[number],
                let entry = avformat_index_get_entry(stream, 0)
            else { return false }
            return entry.pointee.pos < input.pointee.pos - Int64(buffered)
        }
    }

    /// Whether the container's index names bytes behind the end of a source of so many bytes.
    fileprivate func announces(more size: Int64?) -> Bool {
        guard let size else { return false }
        return (0..<Int(nb_streams)).contains { number in
            guard let stream = streams[number] else { return false }
            let count = avformat_index_get_entries_count(stream)
            return (0..<count).contains { entry in
                guard let entry = avformat_index_get_entry(stream, entry) else { return false }
                return entry.pointee.pos + Int64(entry.pointee.size) > size
            }
        }
    }
}

extension AVCodecParameters {
    /// Whether enough is known to decode the stream or to copy it.
    fileprivate var isComplete: Bool {
        switch codec_type {
        case AVMEDIA_TYPE_AUDIO: sample_rate > 0 && ch_layout.nb_channels > 0
        case AVMEDIA_TYPE_VIDEO: width > 0 && height > 0 || NewerCodecs.isNamed(self)
        default: true
        }
    }
}

@available(*, unavailable)
extension LibAVDemuxer: Sendable {}
