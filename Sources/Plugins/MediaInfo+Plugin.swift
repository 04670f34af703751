// What a plugin's demuxer found out, as the toolkit's values.

internal import MediaCore
internal import MediaKitPluginABI
internal import MediaModel

extension MediaInfo {
    /// Copies what a plugin tells; `container-malformed` where it makes no sense.
    init(
        plugin pointer: UnsafePointer<mk_media>, url: String, size: Int64?, canSeek: Bool,
        title: String
    ) throws(MediaError) {
        let raw = readStruct(pointer, zero: mk_media())
        guard let list = raw.streams, (1...1000).contains(raw.stream_count) else {
            throw MediaError(.containerMalformed, "open \(title): there is no stream in it")
        }
        var streams: [StreamInfo] = []
        for index in 0..<raw.stream_count {
            guard let stream = list[index].flatMap({ StreamInfo(plugin: $0, index: index) }) else {
                throw MediaError(
                    .containerMalformed, "open \(title): stream \(index) is not described")
            }
            streams.append(stream)
        }
        let start = MediaTime(nanoseconds: knownTime(raw.start, .nanoseconds) ?? 0)
        var chapters: [Chapter] = []
        for index in 0..<(raw.chapters == nil ? 0 : min(raw.chapter_count, 10_000)) {
            guard let pointer = raw.chapters?[index] else { continue }
            let chapter = readStruct(pointer, zero: mk_chapter())
            chapters.append(
                Chapter(
                    id: chapter.id,
                    start: max(.zero, MediaTime(nanoseconds: chapter.start) - start),
                    end: max(.zero, MediaTime(nanoseconds: chapter.end) - start),
                    metadata: MetadataEntry.list(chapter.metadata, chapter.metadata_count)))
        }
        self.init(
            url: url, containerName: String(plugin: raw.container) ?? "",
            duration: knownTime(raw.duration, .nanoseconds).flatMap {
                $0 > 0 ? MediaTime(nanoseconds: $0) : nil
            },
            startTime: start, bitRate: raw.bit_rate > 0 ? Int(raw.bit_rate) : nil, size: size,
            isSeekable: raw.is_seekable != 0 && canSeek, streams: streams, chapters: chapters,
            metadata: MetadataEntry.list(raw.metadata, raw.metadata_count))
    }
}

extension StreamInfo {
    /// Copies what a plugin tells of a stream; nil where it makes no sense.
    fileprivate init?(plugin pointer: UnsafePointer<mk_stream>, index: Int) {
        let raw = readStruct(pointer, zero: mk_stream())
        guard let parameters = raw.parameters, raw.tick_num > 0, raw.tick_den > 0,
            let description = CodecDescription(
                plugin: readStruct(parameters, zero: mk_parameters()))
        else { return nil }
        let timeBase = TimeBase(raw.tick_num, raw.tick_den)
        let has = { (flag: UInt32) in raw.flags & flag != 0 }
        self.init(
            index: index, parameters: CodecParameters(description), timeBase: timeBase,
            startTicks: knownTime(raw.start, timeBase),
            duration: knownTime(raw.duration, timeBase).flatMap {
                $0 > 0 ? timeBase.time(ticks: $0) : nil
            },
            frameRate: raw.rate_num > 0 && raw.rate_den > 0
                ? Ratio(raw.rate_num, raw.rate_den) : nil,
            disposition: StreamInfo.disposition(
                isDefault: has(UInt32(MK_STREAM_DEFAULT)),
                isForced: has(UInt32(MK_STREAM_FORCED)),
                isAttachedPicture: has(UInt32(MK_STREAM_PICTURE))),
            metadata: MetadataEntry.list(raw.metadata, raw.metadata_count))
    }
}

extension CodecDescription {
    /// Copies what a plugin tells of a codec; nil where it makes no sense.
    fileprivate init?(plugin raw: mk_parameters) {
        let kind: MediaKind
        switch raw.kind {
        case Int32(MK_VIDEO): kind = .video
        case Int32(MK_AUDIO): kind = .audio
        case Int32(MK_SUBTITLE): kind = .subtitle
        case Int32(MK_DATA): kind = .data
        default: return nil
        }
        guard raw.width >= 0, raw.height >= 0, raw.extradata_size < 1 << 28,
            (0...1024).contains(raw.audio.channel_count), raw.audio.sample_rate >= 0
        else { return nil }
        self.init(kind: kind, codecName: String(plugin: raw.codec) ?? "none")
        tag = raw.tag
        profile = raw.profile == -99 ? nil : Int(raw.profile)
        level = raw.level == -99 ? nil : Int(raw.level)
        if let bytes = raw.extradata {
            extraData = Array(UnsafeBufferPointer(start: bytes, count: raw.extradata_size))
        }
        bitRate = max(0, raw.bit_rate)
        width = Int(raw.width)
        height = Int(raw.height)
        if raw.aspect_num > 0, raw.aspect_den > 0 {
            sampleAspectRatio = Ratio(raw.aspect_num, raw.aspect_den)
        }
        pixelFormat = kind == .video ? String(plugin: raw.pixel_format) : nil
        sampleRate = Int(raw.audio.sample_rate)
        channelCount = Int(raw.audio.channel_count)
        layout = String(plugin: raw.audio.layout).flatMap { $0.isEmpty ? nil : $0 }
        sampleFormat = String(plugin: raw.audio.sample_format).flatMap {
            SampleFormat(rawValue: $0)
        }
        bitsPerRawSample = Int(raw.bits_per_sample)
        frameSize = Int(raw.frame_size)
    }
}

extension MetadataEntry {
    /// Copies a plugin's metadata, without entries that have no name.
    fileprivate static func list(
        _ pointer: UnsafePointer<mk_metadata>?, _ count: Int
    ) -> [MetadataEntry] {
        guard let pointer else { return [] }
        return (0..<min(count, 10_000)).compactMap { index in
            String(plugin: pointer[index].name).map {
                MetadataEntry($0, String(plugin: pointer[index].value) ?? "")
            }
        }
    }
}
