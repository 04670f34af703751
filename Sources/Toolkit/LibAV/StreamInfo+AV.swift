// What FFmpeg knows of a stream and a container, as values.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

extension StreamInfo {
    /// Copies what FFmpeg knows; `index` is the place it has for the user.
    init(
        copying stream: UnsafeMutablePointer<AVStream>,
        in context: UnsafeMutablePointer<AVFormatContext>
    ) {
        let raw = stream.pointee
        // Some containers tell the shape of a pixel where the codec does not.
        if raw.codecpar.pointee.sample_aspect_ratio.num == 0 {
            raw.codecpar.pointee.sample_aspect_ratio = raw.sample_aspect_ratio
        }
        let timeBase = TimeBase(raw.time_base.num, raw.time_base.den)
        let rate =
            raw.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
            ? av_guess_frame_rate(context, stream, nil) : AVRational(num: 0, den: 1)
        let sideData = (0..<mk_side_data_count(stream)).compactMap { index -> StreamSideData? in
            guard let entry = mk_side_data(stream, index), let bytes = entry.pointee.data else {
                return nil
            }
            return StreamSideData(
                type: entry.pointee.type.rawValue,
                bytes: Array(UnsafeBufferPointer(start: bytes, count: Int(entry.pointee.size))))
        }
        self.init(
            index: Int(raw.index), parameters: CodecParameters(copying: raw.codecpar),
            timeBase: timeBase, startTicks: known(raw.start_time),
            duration: known(raw.duration).flatMap { $0 > 0 ? timeBase.time(ticks: $0) : nil },
            frameRate: rate.num > 0 && rate.den > 0 ? Ratio(rate.num, rate.den) : nil,
            disposition: raw.disposition,
            metadata: AVDictionaryHandle.entries(of: raw.metadata), sideData: sideData)
        if isAttachedPicture, let bytes = raw.attached_pic.data {
            coverBytes = Array(
                UnsafeBufferPointer(start: bytes, count: Int(raw.attached_pic.size)))
        }
    }
}

extension MediaInfo {
    /// Copies what FFmpeg knows of an opened container.
    init(
        copying context: UnsafeMutablePointer<AVFormatContext>, url: String,
        source: (size: Int64?, isSeekable: Bool)
    ) {
        let raw = context.pointee
        let first = known(raw.start_time).map(MediaTime.init(microseconds:)) ?? .zero
        // As of packets, whose timestamps are not taken then.
        let start = first.nanoseconds.magnitude > 1 << 61 ? .zero : first
        let streams = (0..<Int(raw.nb_streams)).compactMap { index in
            raw.streams[index].map { StreamInfo(copying: $0, in: context) }
        }
        let chapters = (0..<Int(raw.nb_chapters)).compactMap { index in
            raw.chapters[index].map { Chapter(copying: $0, after: start) }
        }
        let isUnseekable = raw.ctx_flags & AVFMTCTX_UNSEEKABLE != 0
        self.init(
            url: url, containerName: raw.iformat.map { String(cString: $0.pointee.name) } ?? "",
            duration: known(raw.duration).flatMap {
                $0 > 0 ? MediaTime(microseconds: $0) : nil
            },
            startTime: start, bitRate: raw.bit_rate > 0 ? Int(raw.bit_rate) : nil,
            size: source.size, isSeekable: source.isSeekable && !isUnseekable,
            streams: streams, chapters: chapters,
            metadata: AVDictionaryHandle.entries(of: raw.metadata))
    }
}

extension Chapter {
    fileprivate init(copying chapter: UnsafeMutablePointer<AVChapter>, after start: MediaTime) {
        let raw = chapter.pointee
        let timeBase = TimeBase(raw.time_base.num, raw.time_base.den)
        self.init(
            id: raw.id, start: max(.zero, timeBase.time(ticks: raw.start) - start),
            end: max(.zero, timeBase.time(ticks: raw.end) - start),
            metadata: AVDictionaryHandle.entries(of: raw.metadata))
    }
}

extension MediaTime {
    /// FFmpeg's own unit for whole media.
    init(microseconds: Int64) {
        let (product, overflow) = microseconds.multipliedReportingOverflow(by: 1000)
        self.init(nanoseconds: overflow ? (microseconds < 0 ? .min : .max) : product)
    }

    /// In FFmpeg's own unit for whole media.
    var microseconds: Int64 { TimeBase(1, 1_000_000).ticks(self) }
}
