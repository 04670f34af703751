// Packets into a container.

internal import CFFmpeg
internal import MediaCore
internal import MediaModel

/// One of FFmpeg's muxers.
///
/// Threading: one call at a time.
final class LibAVMuxer: Muxer {
    private enum State {
        case open
        case writing
        case finished
    }

    private let subject: String
    private let format: UnsafePointer<AVOutputFormat>
    private let options: [String: String]
    private let io: AVIOBridge?
    private var context: UnsafeMutablePointer<AVFormatContext>?
    private var lastDecodeTicks: [Int64?] = []
    private var filters: [BitstreamFilter?] = []
    private var coverComments: [MetadataEntry] = []
    private var needsLargeSizes = false
    private var limit: Int64?
    private var rateChange: (from: Int, to: Int)?
    private static let noStream = -1
    private var state = State.open

    init(_ request: MuxerRequest, into file: (any OpenFile)?) throws(MediaError) {
        subject = "write \(request.path.printable)"
        options = request.options
        let format = try LibAVMuxer.outputFormat(request)
        self.format = format
        var context: UnsafeMutablePointer<AVFormatContext>?
        // Muxers that open files by themselves would take other names for addresses.
        let opensItself = format.pointee.flags & AVFMT_NOFILE != 0
        let result = (opensItself ? "file:" + request.path : request.path).withOSPath {
            avformat_alloc_output_context2(&context, format, nil, $0)
        }
        try avCheck(result, subject, else: .containerUnsupported)
        guard let context else { fatalError("out of memory") }
        self.context = context
        // FFmpeg 5.1 calls FLAC and Opus in MP4 experimental; later versions don't.
        context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
        context.pointee.max_delay = MuxerDefaults.maximumDelay
        if request.isBitExact { context.pointee.flags |= AVFMT_FLAG_BITEXACT }
        if format.pointee.flags & AVFMT_NOFILE == 0 {
            guard let file else {
                avformat_free_context(context)
                throw MediaError(.invalidState, "\(subject): no file to write to")
            }
            let io = AVIOBridge(writing: file)
            self.io = io
            context.pointee.pb = io.context
            context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
            io.guardOpening(of: context)
        } else {
            io = nil
        }
    }

    deinit { free() }

    func addStream(_ stream: MuxerStream) throws(MediaError) -> Int {
        guard let context, state == .open else {
            throw MediaError(.invalidState, "\(subject): streams come before the header")
        }
        let parameters = stream.parameters
        let codec = parameters.avParameters.pointee.codec_id
        let isCover = stream.template?.isAttachedPicture == true && parameters.encoderName == nil
        guard format.takes(parameters.kind, codec, isCover: isCover) else {
            throw MediaError(
                .containerUnsupported,
                "\(subject): \(String(cString: format.pointee.name)) can't hold "
                    + "\(parameters.kind.rawValue) as \(parameters.codecName)")
        }
        if isCover, format.keepsCoversAsComments {
            if let comment = stream.template?.coverComment { coverComments.append(comment) }
            return LibAVMuxer.noStream
        }
        guard let made = avformat_new_stream(context, nil) else { fatalError("out of memory") }
        let filter = try format.bitstreamFilter(parameters.avParameters).map {
            (name) throws(MediaError) in
            try BitstreamFilter(
                name, parameters.avParameters, stream.timeBase.rational, subject: subject)
        }
        try avCheck(
            avcodec_parameters_copy(
                made.pointee.codecpar, filter?.parameters ?? UnsafePointer(parameters.avParameters)),
            subject, else: .outputFailed)
        made.pointee.codecpar.pointee.codec_tag = format.tag(
            codec, was: parameters.avParameters.pointee.codec_tag)
        made.pointee.time_base = stream.timeBase.rational
        let shape = parameters.avParameters.pointee.sample_aspect_ratio
        made.pointee.sample_aspect_ratio = shape
        if let rate = stream.frameRate ?? stream.template?.frameRate, parameters.kind == .video {
            made.pointee.avg_frame_rate = AVRational(num: rate.numerator, den: rate.denominator)
            made.pointee.r_frame_rate = made.pointee.avg_frame_rate
            if let ticks = format.ticks(rate, finerThan: stream.timeBase) {
                made.pointee.time_base = ticks
            }
        }
        if let template = stream.template { keep(template, on: made, parameters) }
        if MuxerDefaults.mayBeLarge(made.pointee.codecpar.pointee, stream.template) {
            needsLargeSizes = true
        }
        if let old = stream.template?.parameters.audioFormat, rateChange == nil {
            rateChange = (old.sampleRate, Int(made.pointee.codecpar.pointee.sample_rate))
        }
        if let encoder = parameters.encoderName {
            let isBitExact = context.pointee.flags & AVFMT_FLAG_BITEXACT != 0
            let library = isBitExact ? "Lavc" : String(cString: mk_lavc_ident)
            av_dict_set(&made.pointee.metadata, "encoder", "\(library) \(encoder)", 0)
        }
        if isCover, format.attachesCovers, let bytes = stream.template?.coverBytes {
            made.attach(bytes)
        }
        lastDecodeTicks.append(nil)
        filters.append(filter)
        return Int(made.pointee.index)
    }

    func writeHeader(metadata: [MetadataEntry], chapters: [Chapter]) throws(MediaError) {
        guard let context, state == .open else {
            throw MediaError(.invalidState, "\(subject): the header is written already")
        }
        let metadata =
            rateChange.map { metadata.countingSamples(at: $0.to, not: $0.from) } ?? metadata
        AVDictionaryHandle.add(metadata, to: &context.pointee.metadata)
        for chapter in chapters { context.add(chapter) }
        if !coverComments.isEmpty { addComments(context) }
        let name = String(cString: format.pointee.name)
        let options = MuxerDefaults.options(name, metadata, needsLargeSizes: needsLargeSizes)
            .merging(self.options) { $1 }
        limit = MuxerDefaults.limit(name, options)
        var values = AVDictionaryHandle(options)
        let (result, complaints) = AVLogBridge.collecting {
            values.lend { avformat_write_header(context, &$0) }
        }
        try io?.check()
        if result < 0 {
            let reason = complaints.last.map { " (\($0.withoutLogPrefix))" } ?? ""
            let error = MediaError.av(result, subject, else: .outputFailed)
            throw MediaError(error.code, error.message + reason, underlying: error.underlying)
        }
        state = .writing
        if let unknown = values.names.first {
            throw MediaError(
                .badArgument,
                "\(subject): muxer \(String(cString: format.pointee.name)) has no option "
                    + "'\(unknown)'")
        }
    }

    /// Covers go to the first sound.
    private func addComments(_ context: UnsafeMutablePointer<AVFormatContext>) {
        let streams = (0..<Int(context.pointee.nb_streams)).compactMap {
            context.pointee.streams[$0]
        }
        let sound = streams.first { $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO }
        guard let sound else { return }
        AVDictionaryHandle.add(coverComments, to: &sound.pointee.metadata)
    }

    func write(_ packet: Packet, stream: Int) throws(MediaError) {
        if stream == LibAVMuxer.noStream, state == .writing { return }
        guard let context, state == .writing else {
            throw MediaError(.invalidState, "\(subject): packets come after the header")
        }
        guard (0..<Int(context.pointee.nb_streams)).contains(stream),
            let target = context.pointee.streams[stream]
        else {
            throw MediaError(
                .badArgument,
                "\(subject): no stream \(stream), only \(context.pointee.nb_streams) were added")
        }
        if target.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_ATTACHMENT { return }
        let owned = packet.copy()
        let copy = owned.avPacket
        copy.pointee.stream_index = Int32(stream)
        if target.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0, packet.dts == nil {
            // A cover has no time; it belongs to the start.
            copy.pointee.pts = 0
            copy.pointee.dts = 0
        }
        try filters[stream]?.apply(copy)
        av_packet_rescale_ts(copy, packet.timeBase.rational, target.pointee.time_base)
        orderTimestamps(copy, stream, target.pointee.codecpar.pointee.codec_type)
        let result = av_interleaved_write_frame(context, copy)
        try io?.check()
        try avCheck(result, subject, else: .outputFailed)
        if let limit, let io, avio_tell(io.context) >= limit {
            throw MediaError(
                .outputFailed,
                "\(subject): a file of \(String(cString: format.pointee.name)) can't say that it is "
                    + "larger than 4 GiB; choose another container, such as caf or w64")
        }
    }

    func finish() throws(MediaError) {
        guard let context, state == .writing else {
            throw MediaError(.invalidState, "\(subject): nothing was begun")
        }
        state = .finished
        let result = av_write_trailer(context)
        if let io { avio_flush(io.context) }
        try io?.check()
        try avCheck(result, subject, else: .outputFailed)
        free()
    }

    private func free() {
        guard let context else { return }
        io?.close()
        if io != nil { context.pointee.pb = nil }
        avformat_free_context(context)
        self.context = nil
    }

    /// Muxers refuse timestamps that stand still or go back; FFmpeg's command line mends them so.
    private func orderTimestamps(
        _ packet: UnsafeMutablePointer<AVPacket>, _ stream: Int, _ kind: AVMediaType
    ) {
        let flags = format.pointee.flags
        guard flags & AVFMT_NOTIMESTAMPS == 0 else { return }
        let none = mk_av_nopts_value
        let last = lastDecodeTicks[stream]
        if packet.pointee.dts != none, packet.pointee.pts != none,
            packet.pointee.dts > packet.pointee.pts
        {
            let guess = last.map { $0 + 1 } ?? packet.pointee.pts
            let three = [packet.pointee.pts, packet.pointee.dts, guess].sorted()
            packet.pointee.pts = three[1]
            packet.pointee.dts = three[1]
        }
        let isOrdered =
            kind == AVMEDIA_TYPE_AUDIO || kind == AVMEDIA_TYPE_VIDEO
            || kind == AVMEDIA_TYPE_SUBTITLE
        if isOrdered, packet.pointee.dts != none, let last {
            let earliest = last + (flags & AVFMT_TS_NONSTRICT == 0 ? 1 : 0)
            if packet.pointee.dts < earliest {
                Log.debug(
                    "mux", "stream \(stream): timestamp \(packet.pointee.dts) moved to \(earliest)")
                if packet.pointee.pts >= packet.pointee.dts {
                    packet.pointee.pts = max(packet.pointee.pts, earliest)
                }
                packet.pointee.dts = earliest
            }
        }
        if packet.pointee.dts != none { lastDecodeTicks[stream] = packet.pointee.dts }
    }

    /// Metadata, disposition and side data of the input stream.
    private func keep(
        _ template: StreamInfo, on stream: UnsafeMutablePointer<AVStream>,
        _ parameters: CodecParameters
    ) {
        let isEncoded = parameters.encoderName != nil
        AVDictionaryHandle.add(
            template.metadata.filter { !isEncoded || $0.name.lowercased() != "encoder" },
            to: &stream.pointee.metadata)
        stream.pointee.disposition = template.disposition
        if let duration = template.duration, !isEncoded {
            stream.pointee.duration = template.timeBase.ticks(duration)
        }
        for block in template.sideData
        where !isEncoded || block.type != AV_PKT_DATA_CPB_PROPERTIES.rawValue {
            _ = mk_side_data_add(stream, block.type, block.bytes, block.bytes.count)
        }
    }
}

@available(*, unavailable)
extension LibAVMuxer: Sendable {}
