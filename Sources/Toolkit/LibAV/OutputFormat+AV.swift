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
            throw MediaError(.badArgument, "no container '\(name)'\(hint)")
        }
        if let format = request.path.withOSPath({ av_guess_format(nil, $0, nil) }) {
            return format
        }
        throw MediaError(
            .badArgument,
            request.path == "-"
                ? "write standard output: name a container, or a file with 'output'"
                : "write \(request.path.printable): the name does not say which container; "
                    + "give it an ending such as .mp4 or .flac")
    }

    /// Refuses a name without a number for containers that write one file for each picture.
    static func checkPattern(
        _ request: MuxerRequest, _ format: UnsafePointer<AVOutputFormat>
    ) throws(MediaError) {
        let others = ["update", "strftime", "frame_pts"]
        guard String(cString: format.pointee.name) == "image2",
            !others.contains(where: { request.options[$0] != nil }),
            request.path.withOSPath({ av_filename_number_test($0) }) == 0
        else { return }
        throw MediaError(
            .badArgument,
            "write \(request.path.printable): each picture becomes a file, so that the name needs "
                + "a place for its number, such as %05d")
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
            writesOwnFiles: format.pointee.flags & AVFMT_NOFILE != 0,
            isForOneSound: HeldCodecs.isForOneSound(format))
        keepsChapters = !MuxerDefaults.withoutChapters.contains(name)
        keepsRotation = MuxerDefaults.keepsRotation(name)
    }
}

// FFmpeg keeps private fields behind its descriptors: only the pointer it gave may be handed back.
extension UnsafePointer<AVOutputFormat> {
    /// Whether the container can hold such a stream; true where nobody can tell.
    func takes(_ kind: MediaKind, _ codec: AVCodecID, isCover: Bool = false) -> Bool {
        let name = String(cString: pointee.name)
        // FFmpeg's tables leave out that Matroska keeps any attached file.
        if kind == .attachment { return name == "matroska" }
        if codec == AV_CODEC_ID_NONE { return false }
        if isCover { return takesCover(codec) }
        if HeldCodecs.refuses(name, codec) { return false }
        let usual = [pointee.video_codec, pointee.audio_codec, pointee.subtitle_codec]
        if ["flac", "mp3"].contains(name), kind == .video { return takesCover(codec) }
        if usual.contains(codec) { return true }
        // The muxer of .mka is Matroska's with a shorter list of codecs, which it does not go by.
        let asked = name == "matroska" ? av_guess_format(name, nil, nil) ?? self : self
        let answer = avformat_query_codec(asked, codec, FF_COMPLIANCE_EXPERIMENTAL)
        if name == "matroska", kind == .video, answer > 0 {
            return avformat_query_codec(asked, codec, FF_COMPLIANCE_NORMAL) > 0
                || HeldCodecs.isOrderedByDecodeTime(codec)
        }
        if answer >= 0 { return answer > 0 }
        return HeldCodecs.list(name)?.contains(codec) ?? true
    }

    private func takesCover(_ codec: AVCodecID) -> Bool {
        let common = [AV_CODEC_ID_PNG, AV_CODEC_ID_MJPEG, AV_CODEC_ID_BMP]
        switch String(cString: pointee.name) {
        // QuickTime's own form has no place for covers.
        case "mov": return false
        case "mp4", "ipod", "3gp", "3g2", "f4v": return common.contains(codec)
        case "flac", "mp3", "aiff", "matroska":
            let named = [AV_CODEC_ID_GIF, AV_CODEC_ID_TIFF, AV_CODEC_ID_WEBP]
            return common.contains(codec) || named.contains(codec)
        case "asf", "wtv": return true
        default: return keepsCoversAsComments && CoverKind(codec) != nil
        }
    }

    /// What a tick of pictures lasts where the container takes it for the frame rate; nil where the
    /// packets' own will do.
    ///
    /// AVI writes an empty picture for each tick without one. Half a frame, as FFmpeg's command line
    /// has it, leaves room for pictures that come between.
    func ticks(_ rate: Ratio, finerThan own: TimeBase) -> AVRational? {
        guard String(cString: pointee.name) == "avi", rate.numerator > 0,
            let twice = Int32(exactly: Int64(rate.numerator) * 2)
        else { return nil }
        let half = AVRational(num: rate.denominator, den: twice)
        return av_cmp_q(own.rational, half) < 0 ? half : nil
    }

    /// Whether a cover is kept as a comment of the sound there.
    var keepsCoversAsComments: Bool {
        ["ogg", "oga", "opus", "spx"].contains(String(cString: pointee.name))
    }

    /// Whether a cover is kept as an attached file there.
    var attachesCovers: Bool { String(cString: pointee.name) == "matroska" }

    /// The tag to write: the old one where this container knows it or has none to offer.
    func tag(_ codec: AVCodecID, was old: UInt32) -> UInt32 {
        guard let tables = pointee.codec_tag else { return old }
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

extension UnsafeMutablePointer<AVStream> {
    /// Turns a cover picture into an attached file with these bytes.
    func attach(_ bytes: [UInt8]) {
        let parameters = pointee.codecpar
        guard let parameters,
            let memory = av_mallocz(bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE))
        else { return }
        bytes.withUnsafeBytes { source in
            UnsafeMutableRawBufferPointer(start: memory, count: bytes.count).copyMemory(
                from: source)
        }
        av_free(parameters.pointee.extradata)
        parameters.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
        parameters.pointee.extradata_size = Int32(bytes.count)
        parameters.pointee.codec_type = AVMEDIA_TYPE_ATTACHMENT
        pointee.disposition &= ~AV_DISPOSITION_ATTACHED_PIC
        let known = CoverKind(parameters.pointee.codec_id) ?? .png
        let keep = AV_DICT_DONT_OVERWRITE
        av_dict_set(&pointee.metadata, "filename", "cover.\(known.ending)", keep)
        av_dict_set(&pointee.metadata, "mimetype", known.mime, keep)
    }
}
