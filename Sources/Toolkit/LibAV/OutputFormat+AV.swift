// What FFmpeg's containers take, by the rules of its command line.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

extension LibAVMuxer {
    /// The container that is named, or else the one that the path suggests.
    static func outputFormat(
        _ request: MuxerRequest
    ) throws(MediaError) -> UnsafePointer<AVOutputFormat> {
        if let name = request.container {
            if let format = av_guess_format(name, nil, nil) { return format }
            let hint = Suggestion.sentence(for: name, among: names)
            throw MediaError(.containerUnsupported, "no container '\(name)'\(hint)")
        }
        if let format = request.path.withOSPath({ av_guess_format(nil, $0, nil) }) {
            return format
        }
        throw MediaError(
            .containerUnsupported,
            "write \(request.path.printable): the name does not say which container; "
                + "give it an ending such as .mp4 or .flac")
    }

    private static var names: [String] {
        var names: [String] = []
        var state: UnsafeMutableRawPointer?
        while let format = av_muxer_iterate(&state) {
            names.append(String(cString: format.pointee.name))
        }
        return names
    }
}

extension ContainerFacts {
    /// Copies what FFmpeg says of a container that is written to `path`.
    init(_ format: UnsafePointer<AVOutputFormat>, path: String) {
        let name = String(cString: format.pointee.name)
        let kinds: [(MediaKind, AVMediaType)] = [
            (.audio, AVMEDIA_TYPE_AUDIO), (.video, AVMEDIA_TYPE_VIDEO),
            (.subtitle, AVMEDIA_TYPE_SUBTITLE),
        ]
        var encoders: [MediaKind: String] = [:]
        for (kind, type) in kinds {
            let codec = path.withOSPath { av_guess_codec(format, nil, $0, nil, type) }
            if let encoder = avcodec_find_encoder(codec) {
                encoders[kind] = String(cString: encoder.pointee.name)
            }
        }
        self.init(
            name: name, defaultEncoders: encoders,
            wantsGlobalHeader: format.pointee.flags & AVFMT_GLOBALHEADER != 0,
            needsSeekableOutput: ["mp4", "mov", "ipod", "3gp", "3g2", "psp", "f4v"].contains(name),
            writesOwnFiles: format.pointee.flags & AVFMT_NOFILE != 0)
    }
}

extension AVOutputFormat {
    /// Whether the container can hold such a codec; true where FFmpeg can't tell.
    func takes(_ codec: AVCodecID) -> Bool {
        if codec == video_codec || codec == audio_codec || codec == subtitle_codec { return true }
        return withUnsafePointer(to: self) { format in
            avformat_query_codec(format, codec, FF_COMPLIANCE_EXPERIMENTAL) != 0
        }
    }

    /// The tag to write: the old one where this container knows it or has none to offer.
    func tag(_ codec: AVCodecID, was old: UInt32) -> UInt32 {
        guard let tables = codec_tag else { return old }
        if av_codec_get_id(tables, old) == codec { return old }
        var own: UInt32 = 0
        return av_codec_get_tag2(tables, codec, &own) == 0 ? old : 0
    }
}

extension UnsafeMutablePointer<AVFormatContext> {
    /// Adds a chapter, in nanoseconds.
    func add(_ chapter: Chapter) {
        let size = MemoryLayout<AVChapter>.size
        let count = Int(pointee.nb_chapters)
        guard let memory = av_mallocz(size),
            let list = av_realloc_array(
                pointee.chapters, count + 1, MemoryLayout<UnsafeMutablePointer<AVChapter>?>.stride)
        else { fatalError("out of memory") }
        let made = memory.assumingMemoryBound(to: AVChapter.self)
        made.pointee.id = chapter.id
        made.pointee.time_base = AVRational(num: 1, den: 1_000_000_000)
        made.pointee.start = chapter.start.nanoseconds
        made.pointee.end = chapter.end.nanoseconds
        AVDictionaryHandle.add(chapter.metadata, to: &made.pointee.metadata)
        pointee.chapters = list.assumingMemoryBound(to: UnsafeMutablePointer<AVChapter>?.self)
        pointee.chapters[count] = made
        pointee.nb_chapters += 1
    }
}
