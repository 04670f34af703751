// What becomes of each stream: copied, encoded or left out.

package import MediaCore
package import MediaModel

/// How a stream is encoded.
package struct EncodePlan: Sendable {
    /// The encoder or codec that is asked for.
    package var encoder: String
    /// Bits a second that are asked for.
    package var bitRate: Int?
    /// Bits a second where nobody asks for any and the encoder can have them.
    package var usualBitRate: Int?
    /// Whether the sample rate was asked for.
    package var isRateWished = false
    /// Whether the channels were asked for.
    package var isLayoutWished = false
    /// Bits of a sample that carry sound, kept from the input.
    package var bitsPerRawSample: Int?
    /// The formats of sound the encoder is to get.
    package var audio = AudioFormatSet()
    /// The pixel formats the encoder takes; empty where any.
    package var pixelFormats: [String] = []
    /// Whether nobody would expect another codec than the input's.
    package var keepsCodec = false
    /// Private options of the encoder.
    package var options: [String: String] = [:]
    /// The input's stream with the tags that the output gets.
    package var template: StreamInfo?
}

/// What becomes of a stream.
package enum StreamFate: Sendable {
    case copied
    case encoded(EncodePlan)
    case dropped
}

/// What becomes of the streams of an input in one output.
package struct OutputPlan: Sendable {
    /// What is known of the container.
    package let facts: ContainerFacts
    /// What the muxer is asked.
    package let muxer: MuxerRequest
    /// The stream of sound that passes the chain; nil where there is none.
    package private(set) var audio: StreamInfo?
    /// The fates by stream index.
    package private(set) var fates: [Int: StreamFate] = [:]
    /// The tags of the output as a whole.
    package private(set) var metadata: [MetadataEntry] = []
    private var templates: [Int: StreamInfo] = [:]

    private let info: MediaInfo
    private let request: TranscodeRequest
    private let registry: PluginRegistry
    private let warnings: WarningLog

    /// Decides.
    ///
    /// - Throws: `no-such-stream` where the chain has no sound to work on or nothing would be left,
    ///   `encoder-not-found`, `bad-argument` where an encoder can't do what the settings ask.
    package init(
        _ info: MediaInfo, _ request: TranscodeRequest, registry: PluginRegistry,
        warnings: WarningLog
    ) throws(MediaError) {
        self.info = info
        self.request = request
        self.registry = registry
        self.warnings = warnings
        muxer = MuxerRequest(
            container: request.settings.container ?? request.preset.container,
            path: request.outputPath, options: request.settings.containerOptions,
            isBitExact: request.settings.isBitExact)
        facts = try registry.muxer().facts(muxer)
        try chooseAudio()
        for stream in info.streams { fates[stream.index] = try fate(of: stream) }
        if fates.values.allSatisfy({ if case .dropped = $0 { true } else { false } }) {
            let reason = info.streams.compactMap(obstacle).first
            throw MediaError(
                .noSuchStream,
                "\(info.url.printable) has no stream that \(facts.name) can hold"
                    + (reason.map { ": \($0)" } ?? ""))
        }
        setTags()
        tellLosses()
    }

    /// The stream of the input with the tags that the output gets.
    package func template(_ stream: StreamInfo) -> StreamInfo { templates[stream.index] ?? stream }

    /// Says what is lost beside streams.
    private func tellLosses() {
        guard request.preset.copiesUntouched else { return }
        for stream in info.streams where stream.kind == .video && !stream.isAttachedPicture {
            guard case .copied = fates[stream.index], !facts.keepsRotation,
                let turn = stream.rotation, turn != 0
            else { continue }
            warnings.add(
                "video stream \(stream.index) is no longer turned by \(turn)°: "
                    + "\(facts.name) can't say it")
        }
        let chapters = info.chapters.cut(from: request.start ?? .zero, duration: request.duration)
        let isOpus = info.streams.contains { stream in
            guard case .copied = fates[stream.index] else { return false }
            return stream.parameters.codecName == "opus"
        }
        if !chapters.isEmpty, !facts.keepsChapters, !(facts.name == "ogg" && isOpus) {
            let what = chapters.count == 1 ? "1 chapter is" : "\(chapters.count) chapters are"
            warnings.add("\(what) left out: \(facts.name) can't hold chapters")
        }
    }

    private mutating func setTags() {
        var tags = OutputTags(info, facts: facts)
        for (index, fate) in fates {
            guard case .encoded(var plan) = fate else { continue }
            tags.dropStatistics(index)
            if index == audio?.index, changesLevel { tags.dropLoudness(index) }
            plan.template = tags.streams[index]
            fates[index] = .encoded(plan)
        }
        if request.start != nil || request.duration != nil {
            for index in fates.keys { tags.dropStatistics(index) }
        }
        if let start = request.start, let rate = audio?.parameters.audioFormat?.sampleRate {
            tags.moveReference(by: start, rate: rate)
        }
        metadata = tags.container
        templates = tags.streams
    }

    /// Whether sound passes anything but the decoder.
    private var changesAudio: Bool { changesLevel || request.alwaysEncodesAudio }

    /// Whether sound may be louder or softer in the output.
    private var changesLevel: Bool {
        request.chain.filters.contains(where: \.isEnabled) || request.extra != nil
            || request.feed != nil
    }

    private mutating func chooseAudio() throws(MediaError) {
        switch request.audio {
        case .best:
            audio = info.bestStream(.audio)
        case .stream(let index):
            audio = info.streams.first { $0.index == index && $0.kind == .audio }
            if audio == nil {
                throw MediaError(
                    .noSuchStream, "\(info.url.printable) has no stream of sound \(index)")
            }
        }
        if audio == nil, changesAudio, !request.alwaysEncodesAudio {
            throw MediaError(.noSuchStream, "\(info.url.printable) has no stream of sound")
        }
    }

    private func fate(of stream: StreamInfo) throws(MediaError) -> StreamFate {
        guard request.preset.kinds.contains(stream.kind) else { return .dropped }
        switch stream.kind {
        case .audio: return try audioFate(stream)
        case .video: return try videoFate(stream)
        case .subtitle, .data, .attachment:
            guard request.preset.copiesUntouched, !isMadeAnew(stream) else { return .dropped }
            return copyIfTaken(stream)
        }
    }

    private func audioFate(_ stream: StreamInfo) throws(MediaError) -> StreamFate {
        let isMain = stream.index == audio?.index
        if !isMain, !request.preset.copiesUntouched { return .dropped }
        if !isMain, facts.isForOneSound {
            return drop(stream, "\(facts.name) holds one stream of sound")
        }
        guard facts.defaultEncoders[.audio] != nil || takes(stream) else { return drop(stream) }
        let isTouched =
            isMain
            && (changesAudio || request.settings.touchesAudio || request.preset.audioEncoder != nil
                || request.start != nil || request.duration != nil)
        if !isTouched, request.preset.copiesUntouched, suits(stream) { return .copied }
        return .encoded(try audioPlan(stream, wishes: isMain ? request.settings : OutputSettings()))
    }

    private func videoFate(_ stream: StreamInfo) throws(MediaError) -> StreamFate {
        let preset = request.preset
        if stream.isAttachedPicture {
            return preset.copiesUntouched ? copyIfTaken(stream) : .dropped
        }
        let name = request.settings.videoEncoder ?? preset.videoEncoder
        if preset.copiesUntouched, name == nil { return copyIfTaken(stream) }
        if !preset.copiesUntouched, stream.index != info.bestStream(.video)?.index {
            return .dropped
        }
        guard let encoder = name ?? facts.defaultEncoders[.video] else { return drop(stream) }
        let plugin = try registry.encoder(named: encoder)
        var plan = EncodePlan(encoder: encoder)
        plan.bitRate = request.settings.videoBitRate
        plan.pixelFormats = try plugin.acceptedPixelFormats(encoder)
        plan.options = request.settings.videoOptions
        return .encoded(plan)
    }

    private func copyIfTaken(_ stream: StreamInfo) -> StreamFate {
        takes(stream) ? .copied : drop(stream)
    }

    private func drop(_ stream: StreamInfo, _ reason: String? = nil) -> StreamFate {
        let what = stream.isAttachedPicture ? "cover picture" : "\(stream.kind.rawValue) stream"
        warnings.add(
            "\(what) \(stream.index) (\(stream.parameters.codecName)) is left out: "
                + (reason ?? obstacle(stream) ?? "\(facts.name) can't hold it"))
        return .dropped
    }

    private func obstacle(_ stream: StreamInfo) -> String? {
        (try? registry.muxer())?.obstacle(stream, muxer)
    }

    /// Whether the muxer writes such a track by itself from what else it gets.
    func isMadeAnew(_ stream: StreamInfo) -> Bool {
        stream.isChapterTrack && !info.chapters.isEmpty
            || stream.isTimecodeTrack && ["mov", "mp4"].contains(facts.name)
    }

    private func takes(_ stream: StreamInfo) -> Bool {
        (try? registry.muxer())?.takes(stream, muxer) ?? false
    }

    /// Whether the container takes the codec of sound and is meant for it: WAV and its kin take
    /// nearly everything, but who names one wants bare samples.
    private func suits(_ stream: StreamInfo) -> Bool {
        let bare = "pcm_"
        let isBare = stream.parameters.codecName.hasPrefix(bare)
        return takes(stream) && (isBare || facts.defaultEncoders[.audio]?.hasPrefix(bare) != true)
    }

    // MARK: - Encoders of sound

    private var isFilm: Bool {
        info.streams.contains { $0.kind == .video && !$0.isAttachedPicture }
    }

    private var isSameContainer: Bool {
        let readers = info.containerName.split(separator: ",").map(String.init)
        if let name = muxer.container { return readers.contains(name) }
        do throws(MediaError) {
            let muxers = try registry.muxer()
            return try muxers.container(readBy: info.containerName, path: muxer.path) == nil
        } catch {
            return false
        }
    }

    private func audioPlan(
        _ stream: StreamInfo, wishes: OutputSettings
    ) throws(MediaError) -> EncodePlan {
        let codec = stream.parameters.codecName
        let encoder = try audioEncoder(stream, wishes)
        let plugin = try registry.encoder(named: encoder)
        var plan = EncodePlan(encoder: encoder)
        plan.audio = try accepted(plugin, encoder, wishes)
        if plan.audio.sampleRates.isEmpty, let format = stream.parameters.audioFormat,
            !request.chain.filters.contains(where: \.isEnabled)
        {
            let rate = plugin.nearestSampleRate(encoder, to: format.sampleRate)
            if rate != format.sampleRate { plan.audio.sampleRates = [rate] }
        }
        plan.bitsPerRawSample = stream.parameters.bitsPerRawSample
        plan.options = wishes.audioOptions
        plan.keepsCodec =
            wishes.audioEncoder == nil && request.preset.audioEncoder == nil
            && request.preset.copiesUntouched
            && (isSameContainer || isFilm && CodecParameters.isLossless(codec) == true)
        let channels =
            wishes.layout?.channelCount ?? stream.parameters.audioFormat?.channelCount ?? 2
        let usual = max(128_000, 64_000 * channels)
        plan.bitRate = wishes.audioBitRate
        plan.usualBitRate = encoder == codec ? max(usual, stream.leastBitRate) : usual
        plan.isRateWished = wishes.sampleRate != nil
        plan.isLayoutWished = wishes.layout != nil
        return plan
    }

    /// By name; else the input's codec, if the container takes it; else the container's default.
    private func audioEncoder(
        _ stream: StreamInfo, _ wishes: OutputSettings
    ) throws(MediaError) -> String {
        if let name = wishes.audioEncoder ?? request.preset.audioEncoder { return name }
        let codec = stream.parameters.codecName
        if suits(stream), (try? registry.encoder(named: codec))?.encodes(codec) == true {
            return codec
        }
        guard let usual = facts.defaultEncoders[.audio] else {
            throw MediaError(.containerUnsupported, "\(facts.name) can't hold sound")
        }
        switch usual {
        case "pcm_s16le": return stream.parameters.isDeep ? "pcm_s24le" : usual
        case "pcm_s16be": return stream.parameters.isDeep ? "pcm_s24be" : usual
        default: return usual
        }
    }

    private func accepted(
        _ plugin: any EncoderPlugin, _ encoder: String, _ wishes: OutputSettings
    ) throws(MediaError) -> AudioFormatSet {
        var set = try plugin.acceptedAudio(encoder)
        if let rate = wishes.sampleRate {
            guard set.sampleRates.isEmpty || set.sampleRates.contains(rate) else {
                let known = set.sampleRates.map(String.init).joined(separator: ", ")
                throw MediaError(
                    .badArgument, "encoder \(encoder) takes no \(rate) Hz; it takes \(known)")
            }
            set.sampleRates = [rate]
        }
        if let layout = wishes.layout {
            guard set.layouts.isEmpty || set.layouts.contains(layout) else {
                let known = set.layouts.map(\.name).joined(separator: ", ")
                throw MediaError(
                    .badArgument, "encoder \(encoder) takes no layout \(layout); it takes \(known)")
            }
            set.layouts = [layout]
        }
        return set
    }
}

extension CodecParameters {
    /// Whether more than 16 bits of a sample carry sound; of lossy codecs nobody can say.
    fileprivate var isDeep: Bool {
        if let bits = bitsPerRawSample { return bits > 16 }
        return codecName.hasPrefix("pcm_") && (audioFormat?.sampleFormat.bytesPerSample ?? 0) > 2
    }
}
