// A decoder of a loaded plugin behind the toolkit's protocol.

internal import Glibc
internal import MediaCore
internal import MediaKitPluginABI
internal import MediaModel

/// A plugin's decoder table as a plugin of the registry.
struct LoadedDecoderPlugin: DecoderPlugin, @unchecked Sendable {
    // Unchecked: the table points to constants of the library, which this keeps loaded.
    private let part: LoadedPart
    private let table: mk_decoder

    var info: PluginInfo { part.info }
    var options: [OptionSpec] { part.options }
    var origin: PluginOrigin? { part.library.origin }

    init(_ pointer: UnsafePointer<mk_decoder>, _ library: PluginLibrary) throws(MediaError) {
        let table = readStruct(pointer, zero: mk_decoder())
        part = try LoadedPart(
            "decoder", name: table.name, summary: table.summary, rank: table.rank,
            options: table.options, count: table.option_count,
            isComplete: table.supports != nil && table.create != nil && table.send != nil
                && table.receive != nil && table.flush != nil && table.destroy != nil, library)
        self.table = table
    }

    func supports(_ parameters: CodecParameters) -> Bool {
        let memory = PluginMemory()
        return withExtendedLifetime(memory) {
            var raw = memory.parameters(parameters.codecDescription)
            return table.supports(&raw) == 1
        }
    }

    func makeDecoder(
        _ stream: StreamInfo, _ request: DecoderRequest
    ) throws(MediaError) -> sending any Decoder {
        try part.library.start()
        return try LoadedDecoder(stream, request, table, part)
    }
}

/// An instance of a plugin's decoder.
///
/// Threading: confined.
final class LoadedDecoder: Decoder {
    private let library: PluginLibrary
    private let table: mk_decoder
    private let title: String
    private let timeBase: TimeBase
    /// How long a picture lasts that does not say so itself.
    private let usualLength: MediaTime
    private var instance: UnsafeMutableRawPointer?
    private var next: Int64 = 0

    fileprivate init(
        _ stream: StreamInfo, _ wish: DecoderRequest, _ table: mk_decoder, _ part: LoadedPart
    ) throws(MediaError) {
        library = part.library
        self.table = table
        timeBase = stream.timeBase
        usualLength =
            stream.frameRate.map { TimeBase($0.denominator, $0.numerator).time(ticks: 1) } ?? .zero
        title =
            "\(stream.kind.rawValue) stream \(stream.index) (\(stream.parameters.codecName)) "
            + "with plugin \(library.origin.name)"
        let memory = PluginMemory()
        let values = wish.options.all(part.options)
        var request = mk_decoder_request(
            struct_size: structSize(mk_decoder_request.self),
            threads: Int32(clamping: wish.threads > 0 ? wish.threads : LoadedDecoder.cores),
            stream: UnsafePointer(memory.list([memory.stream(stream)])),
            values: memory.values(values), value_count: values.count)
        instance = try part.make(
            "open decoder of \(title)", else: .decodeFailed, damage: .containerMalformed
        ) { made in
            withExtendedLifetime(memory) { table.create(PluginHost.table, &request, &made) }
        }
    }

    deinit {
        // It is none where making it failed.
        if let instance { table.destroy(instance) }
    }

    private static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    func send(_ packet: Packet?) throws(MediaError) {
        guard let packet else {
            _ = try PluginHost.call("drain \(title)", else: .decodeFailed) {
                table.send(instance, nil)
            }
            return
        }
        var raw = mk_packet()
        raw.struct_size = structSize(mk_packet.self)
        raw.flags = packet.isKeyframe ? UInt32(MK_PACKET_KEY) : 0
        raw.stream = UInt32(clamping: packet.streamIndex)
        raw.pts = packet.pts ?? noTime
        raw.dts = packet.dts ?? noTime
        raw.duration = packet.duration
        let place = packet.time.map { " at \($0)" } ?? ""
        try PluginHost.require("decode \(title)\(place)", else: .decodeFailed) {
            packet.withBytes { bytes in
                raw.data = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                raw.size = bytes.count
                return table.send(instance, &raw)
            }
        }
    }

    func receive() throws(MediaError) -> Pull<Frame> {
        var raw = mk_frame()
        raw.struct_size = structSize(mk_frame.self)
        raw.pts = noTime
        let result = try PluginHost.call("decode \(title)", else: .decodeFailed) {
            table.receive(instance, &raw)
        }
        switch result {
        case Int32(MK_AGAIN): return .needsInput
        case Int32(MK_END): return .endOfStream
        default: break
        }
        let frame: Frame
        do throws(MediaError) {
            frame = try wrap(raw)
        } catch {
            throw error.prefixed("decode \(title)")
        }
        if let time = frame.time {
            let length = frame.duration > .zero ? frame.duration : usualLength
            next = timeBase.ticks(time + length)
        }
        return .value(frame)
    }

    func flush() {
        table.flush(instance)
        next = 0
    }

    /// The plugin's frame as the toolkit's, without a copy.
    private func wrap(_ raw: mk_frame) throws(MediaError) -> Frame {
        guard let release = raw.release else {
            throw MediaError(.decodeFailed, "the frame has no release function")
        }
        let owner = FrameOwner(pointer: raw.owner, release: release, library: library)
        var planes: [(start: UnsafeMutablePointer<UInt8>, stride: Int)] = []
        withUnsafeBytes(of: raw.planes) { starts in
            withUnsafeBytes(of: raw.strides) { strides in
                let starts = starts.bindMemory(to: UnsafeMutablePointer<UInt8>?.self)
                let strides = strides.bindMemory(to: Int64.self)
                for index in 0..<starts.count {
                    guard let start = starts[index] else { break }
                    planes.append((start, Int(strides[index])))
                }
            }
        }
        let foreign = ForeignPlanes(
            planes: planes,
            isExclusive: raw.flags & UInt32(MK_FRAME_EXCLUSIVE) != 0,
            release: { owner.giveBack() })
        let pts = knownTime(raw.pts, timeBase) ?? next
        guard raw.kind == Int32(MK_AUDIO) || raw.kind == Int32(MK_VIDEO) else {
            owner.giveBack()
            throw MediaError(.decodeFailed, "\(raw.kind) is no kind of frame")
        }
        if raw.kind == Int32(MK_AUDIO) {
            let format: AudioFormat
            do throws(MediaError) {
                format = try AudioFormat(plugin: raw.audio, mayGuess: true)
            } catch {
                owner.giveBack()
                throw error
            }
            let ticks = TimeBase(1, Int32(format.sampleRate))
            return try Frame.makeAudio(
                format, sampleCount: Int(raw.sample_count), on: foreign,
                pts: timeBase.rescale(pts, to: ticks), timeBase: ticks)
        }
        return try Frame.makePicture(
            PictureFacts(plugin: raw), on: foreign, pts: pts,
            duration: knownTime(raw.duration, timeBase) ?? 0,
            timeBase: timeBase)
    }
}

/// What keeps a plugin's frame, and the library whose code gives it back.
private struct FrameOwner: @unchecked Sendable {
    // Unchecked: `release` may be called by any thread, as the header says, and is called once.
    let pointer: UnsafeMutableRawPointer?
    let release: @convention(c) (UnsafeMutableRawPointer?) -> Void
    let library: PluginLibrary

    func giveBack() { release(pointer) }
}

extension PictureFacts {
    fileprivate init(plugin raw: mk_frame) {
        let ratio = raw.aspect_num > 0 && raw.aspect_den > 0
        self.init(
            VideoFormat(
                width: Int(raw.width), height: Int(raw.height),
                pixelFormat: String(plugin: raw.pixel_format) ?? "none",
                sampleAspectRatio: ratio ? Ratio(raw.aspect_num, raw.aspect_den) : Ratio(0, 1)))
        isKeyframe = raw.flags & UInt32(MK_FRAME_KEY) != 0
        isDamaged = raw.flags & UInt32(MK_FRAME_DAMAGED) != 0
        isInterlaced = raw.flags & UInt32(MK_FRAME_INTERLACED) != 0
        isTopFieldFirst = raw.flags & UInt32(MK_FRAME_TOP_FIRST) != 0
        color = (raw.primaries, raw.transfer, raw.matrix)
        isFullRange = raw.full_range != 0
        chromaLocation = raw.chroma_location
    }
}

extension AudioFormat {
    /// A plugin's format; `decode-failed` where it makes no sense.
    ///
    /// - Parameter mayGuess: whether the usual layout stands for one that is not known here, or
    ///   that has another number of channels.
    init(plugin raw: mk_audio_format, mayGuess: Bool) throws(MediaError) {
        let name = String(plugin: raw.sample_format) ?? ""
        guard let sampleFormat = SampleFormat(rawValue: name),
            (1...1024).contains(raw.channel_count), (1...6_144_000).contains(raw.sample_rate)
        else {
            throw MediaError(
                .decodeFailed,
                "sound of \(raw.channel_count) channels at \(raw.sample_rate) Hz "
                    + "in the format '\(name.printable)'")
        }
        let count = Int(raw.channel_count)
        let told = String(plugin: raw.layout) ?? ""
        let named = ChannelLayout(named: told).flatMap { $0.channelCount == count ? $0 : nil }
        guard named != nil || told.isEmpty || mayGuess else {
            throw MediaError(
                .decodeFailed, "sound of \(count) channels in the layout '\(told.printable)'")
        }
        guard let layout = named ?? ChannelLayout(named: "\(count)c") else {
            throw MediaError(
                .decodeFailed, "sound of \(count) channels, for which there is no layout")
        }
        self.init(
            sampleRate: Int(raw.sample_rate), layout: layout, sampleFormat: sampleFormat)
    }
}

@available(*, unavailable)
extension LoadedDecoder: Sendable {}
