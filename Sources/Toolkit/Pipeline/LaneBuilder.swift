// The nodes of a lane from what was planned for its stream.

package import MediaCore
package import MediaModel

/// Describes the nodes of one encoded stream.
struct LaneBuilder: Sendable {
    var request: TranscodeRequest
    var info: MediaInfo
    var stream: StreamInfo
    var encode: EncodePlan
    var facts: ContainerFacts
    var registry: PluginRegistry
    var warnings: WarningLog
    /// Whether the chain works on this stream.
    var isMain: Bool
    /// Ends what a decoder or a filter is in the middle of.
    var stop: CancellationToken

    func nodes(_ end: LaneEnd) -> LaneNodes {
        LaneNodes(
            makeDecoder: { () throws(MediaError) in try makeDecoder(end.tally) },
            makeMiddle: { () throws(MediaError) in
                stream.kind == .audio ? makeChain(end.tally) : makePictures()
            },
            makeEncoder: { () throws(MediaError) in makeEncoder(end) })
    }

    private func makeDecoder(_ tally: LaneTally) throws(MediaError) -> any Node<Packet, Frame> {
        // Several threads give each picture some pictures later than one, which shows in the order of
        // packets where an encoder looks ahead for longer than muxers wait.
        let isSlow = stream.frameRate.map { $0.value < 10 } ?? false
        let isAlone = stream.kind == .audio || request.threading == .inline || isSlow
        let decoder = try registry.makeDecoder(
            stream, DecoderRequest(threads: isAlone ? 1 : 0),
            usesDevices: stream.kind == .video && request.usesHardwareDecoder, chosen: { _ in },
            switched: { [warnings, stream] change in
                warnings.add(
                    "video stream \(stream.index): on in software: \(change.reason.message)")
            })
        let decode = DecodeNode(
            stream, decoder: decoder, origin: info.startTime, warnings: warnings,
            startsInside: request.start ?? .zero > .zero, stop: stop)
        guard request.start != nil || request.duration != nil else { return decode }
        return Joined(
            decode, TrimNode(start: request.start, duration: request.duration, tally: tally))
    }

    private func makeChain(_ tally: LaneTally) -> any Node<Frame, Frame> {
        ChainNode(
            isMain ? request.chain : FilterChain(), registry: registry, accepting: encode.audio,
            extra: isMain ? request.extra : nil, tally: tally, stop: stop
        ) { [warnings, encode, stream] report in
            switch report {
            case .failed(_, let spec, _, let error):
                warnings.add("filter \(spec.title): \(error.message)")
            case .converted(let old, let new):
                if let sentence = encode.sentence(stream, from: old, to: new) {
                    warnings.add(sentence)
                }
            case .ignored, .format: break
            }
        }
    }

    private func makePictures() -> any Node<Frame, Frame> {
        PictureNode(
            frameRate: stream.frameRate ?? Ratio(25, 1), accepted: encode.pixelFormats
        ) { [registry] formats in
            registry.rawFilters?.makeVideoConverter(pixelFormats: formats)
        }
    }

    /// Says that sound comes out in another codec than anybody would expect, and loses by it.
    private func tellLoss(_ codec: String) {
        let old = stream.parameters.codecName
        guard stream.kind == .audio, encode.keepsCodec, codec != old,
            CodecParameters.isLossless(codec) == false
        else { return }
        warnings.add(
            "audio stream \(stream.index) becomes \(codec), which loses sound, for nothing encodes "
                + "\(old) into \(facts.name); --audio-encoder names another")
    }

    private func makeEncoder(_ end: LaneEnd) -> any Node<Frame, Packet> {
        EncodeNode(tally: end.tally) { frame throws(MediaError) in
            let encoder = try encode.makeEncoder(
                frame, stream, registry: registry, wantsGlobalHeader: facts.wantsGlobalHeader,
                end.writer, lane: end.index)
            tellLoss(encoder.parameters.codecName)
            return encoder
        }
    }
}

extension EncodePlan {
    /// How sound is changed for the encoder's sake; nil where that was asked for or loses nothing.
    package func sentence(
        _ stream: StreamInfo, from old: AudioFormat, to new: AudioFormat
    ) -> String? {
        var parts: [(old: String, new: String)] = []
        if old.sampleRate != new.sampleRate, !isRateWished {
            parts.append(("\(old.sampleRate) Hz", "\(new.sampleRate) Hz"))
        }
        if old.channelCount != new.channelCount, !isLayoutWished {
            parts.append((old.layout.name, new.layout.name))
        }
        let losesRate = new.sampleRate < old.sampleRate && !isRateWished
        let losesChannels = new.channelCount < old.channelCount && !isLayoutWished
        guard losesRate || losesChannels else { return nil }
        let before = parts.map(\.old).joined(separator: " ")
        let after = parts.map(\.new).joined(separator: " ")
        return
            "audio stream \(stream.index) goes from \(before) to \(after): encoder \(encoder) does "
            + "not take it as it is"
    }

    /// Makes the encoder for a stream whose first frame this is, and opens its lane of the writer.
    package func makeEncoder(
        _ frame: Frame, _ stream: StreamInfo, registry: PluginRegistry, wantsGlobalHeader: Bool,
        _ writer: MuxWriter, lane: Int
    ) throws(MediaError) -> any Encoder {
        var wish = EncoderRequest(
            name: encoder, audio: frame.audioFormat, video: frame.videoFormat,
            frameRate: stream.kind == .video ? stream.frameRate : nil, bitRate: bitRate,
            options: options, wantsGlobalHeader: wantsGlobalHeader)
        wish.usualBitRate = usualBitRate
        // Depth is kept where it is more than the usual 16 bits, and left to the encoder where
        // filters made floating-point numbers of them.
        if let bits = bitsPerRawSample, bits > 16 { wish.bitsPerRawSample = bits }
        var template = template ?? stream
        if stream.kind == .video {
            wish.traits = PictureTraits(frame, of: stream)
            template.addSideData(of: frame)
            if wish.video?.sampleAspectRatio.numerator == 0,
                let shape = stream.parameters.videoFormat?.sampleAspectRatio
            {
                wish.video?.sampleAspectRatio = shape
            }
        }
        let made = try registry.encoder(named: encoder).makeEncoder(wish)
        try writer.open(
            lane,
            MuxerStream(
                parameters: made.parameters, timeBase: made.timeBase, template: template,
                frameRate: wish.frameRate))
        return made
    }
}
