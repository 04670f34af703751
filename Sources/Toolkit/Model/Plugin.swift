// Descriptors: Sendable values that make thread-bound machines.

public import MediaCore

/// What a plugin is called and does.
public struct PluginInfo: Hashable, Sendable {
    /// The name, unique among its kind.
    public let name: String
    /// One sentence for people.
    public let summary: String
    /// The version of the code behind it.
    public let version: String
    /// Higher wins where several fit; 0 for built-in ones.
    public let rank: Int

    /// Gathers the facts.
    public init(name: String, summary: String, version: String = "built-in", rank: Int = 0) {
        self.name = name
        self.summary = summary
        self.version = version
        self.rank = rank
    }
}

/// Where a plugin came from that is not built in.
public struct PluginOrigin: Hashable, Sendable {
    /// The absolute path of its file.
    public let path: String
    /// What the file calls itself; it may hold several plugins.
    public let name: String
    /// Its version.
    public let version: String
    /// Its licence, as an SPDX expression.
    public let license: String
    /// One sentence for people.
    public let summary: String

    /// Gathers the facts.
    public init(path: String, name: String, version: String, license: String, summary: String) {
        self.path = path
        self.name = name
        self.version = version
        self.license = license
        self.summary = summary
    }
}

/// Anything the registry holds.
public protocol Plugin: Sendable {
    /// Name and summary.
    var info: PluginInfo { get }
    /// Its options as data.
    var options: [OptionSpec] { get }
    /// The file it was loaded from; nil for what is built in.
    var origin: PluginOrigin? { get }
}

extension Plugin {
    /// None.
    public var options: [OptionSpec] { [] }
    /// Built in.
    public var origin: PluginOrigin? { nil }
}

/// Opens a URL as a medium: files, standard input, `synth:`.
public protocol MediaSourcePlugin: Plugin {
    /// 0 where the URL is not its own, up to 100 where it certainly is.
    func score(url: String) -> Int
    /// Opens; blocks until the streams are known.
    ///
    /// It must come back with `cancelled` soon after `context.cancellation` is: that is how a
    /// player's timeout, its `stop` and its `close` end it, and they wait for it.
    func open(_ url: String, _ context: SourceContext) throws(MediaError)
        -> sending any MediaSource
}

/// Reads a container out of bytes.
public protocol DemuxerPlugin: Plugin {
    /// 0 where the first bytes are not its own, up to 100 where they certainly are.
    func score(head: [UInt8], url: String) -> Int
    /// The same with a look at any place of the bytes, where they can be sought in; the position may
    /// be left anywhere. Without an implementation of its own it goes by the first bytes.
    func score(head: [UInt8], url: String, bytes: (any DataSource)?) -> Int
    /// Takes the bytes, positioned at their start.
    func open(_ bytes: sending any DataSource, url: String, _ context: SourceContext)
        throws(MediaError) -> sending any MediaSource
}

extension DemuxerPlugin {
    /// By the first bytes alone.
    public func score(head: [UInt8], url: String, bytes: (any DataSource)?) -> Int {
        score(head: head, url: url)
    }
}

/// Makes decoders.
public protocol DecoderPlugin: Plugin {
    /// Whether it decodes this.
    func supports(_ parameters: CodecParameters) -> Bool
    /// Makes a decoder.
    func makeDecoder(_ stream: StreamInfo, _ request: DecoderRequest) throws(MediaError)
        -> sending any Decoder
    /// The devices on which it can decode pictures too; nil where it only uses the processor.
    var hardware: (any HardwareDevices)? { get }
}

extension DecoderPlugin {
    /// The processor only.
    public var hardware: (any HardwareDevices)? { nil }
}

/// Makes encoders.
public protocol EncoderPlugin: Plugin {
    /// Whether it has an encoder or codec of this name.
    func supports(_ name: String) -> Bool
    /// Whether it encodes a codec well enough to be taken where nobody names an encoder.
    func encodes(_ codec: String) -> Bool
    /// The formats an encoder takes.
    func acceptedAudio(_ name: String) throws(MediaError) -> AudioFormatSet
    /// The sample rate nearest to `rate` that an encoder takes which lists none.
    func nearestSampleRate(_ name: String, to rate: Int) -> Int
    /// The names of its encoders, for suggestions.
    var encoderNames: [String] { get }
    /// The pixel formats an encoder takes, best first; empty where any.
    func acceptedPixelFormats(_ name: String) throws(MediaError) -> [String]
    /// Makes an encoder.
    func makeEncoder(_ request: EncoderRequest) throws(MediaError) -> sending any Encoder
}

extension EncoderPlugin {
    /// Any.
    public func nearestSampleRate(_ name: String, to rate: Int) -> Int { rate }
    /// None that it tells.
    public var encoderNames: [String] { [] }
    /// Whatever it supports.
    public func encodes(_ codec: String) -> Bool { supports(codec) }
}

/// Makes muxers.
public protocol MuxerPlugin: Plugin {
    /// What is known of the container; `bad-argument` where it can't be inferred.
    func facts(_ request: MuxerRequest) throws(MediaError) -> ContainerFacts
    /// The container that holds what a demuxer of this name (`MediaInfo.containerName`) reads; nil
    /// where it is the one that `path` suggests, or a plugin does not know.
    ///
    /// - Throws: `container-unsupported` where nothing writes such a container.
    func container(readBy demuxer: String, path: String) throws(MediaError) -> String?
    /// Whether the container can hold packets of a codec, by FFmpeg's name of it.
    func takes(codec: String, _ request: MuxerRequest) -> Bool
    /// Whether the container can hold a copy of a stream, cover pictures and attached files too.
    func takes(_ stream: StreamInfo, _ request: MuxerRequest) -> Bool
    /// Why it can't hold a copy of a stream that it does not take, and what to do; nil where that is
    /// the container's nature.
    func obstacle(_ stream: StreamInfo, _ request: MuxerRequest) -> String?
    /// Makes a muxer that writes into `file`, which it borrows until `finish`; nil where the
    /// container writes its own files.
    func makeMuxer(_ request: MuxerRequest, into file: (any OpenFile)?) throws(MediaError)
        -> any Muxer
}

extension MuxerPlugin {
    /// The one that the path suggests.
    public func container(readBy demuxer: String, path: String) throws(MediaError) -> String? {
        nil
    }
    /// Only what it chooses by itself.
    public func takes(codec: String, _ request: MuxerRequest) -> Bool {
        guard let facts = try? facts(request) else { return false }
        return facts.defaultEncoders.values.contains(codec)
    }
    /// The container's nature.
    public func obstacle(_ stream: StreamInfo, _ request: MuxerRequest) -> String? { nil }
    /// Decides by the codec alone.
    public func takes(_ stream: StreamInfo, _ request: MuxerRequest) -> Bool {
        takes(codec: stream.parameters.codecName, request)
    }
}

/// What a filter does of a file-mode run, when it wants to know the whole programme first.
public struct FileModePlan: Sendable {
    /// What runs before the measurement.
    public var before: [FilterSpec]
    /// What the measured programme is brought to.
    public var target: LoudnessTarget

    /// Joins the parts.
    public init(before: [FilterSpec], target: LoudnessTarget) {
        self.before = before
        self.target = target
    }
}

/// Makes filters of sound.
public protocol FilterPlugin: Plugin {
    /// Makes one with checked options.
    func makeFilter(_ options: Options) throws(MediaError) -> sending any AudioFilter
    /// How a batch runs it with knowledge of the whole programme; nil where it runs as in playback.
    func fileModePlan(_ spec: FilterSpec, _ options: Options) -> FileModePlan?
    /// What its use needs a licence for, where programs ask for one; nil for nothing.
    var premium: PremiumFeature? { get }
}

extension FilterPlugin {
    /// Nothing.
    public var premium: PremiumFeature? { nil }
    /// Runs as in playback.
    public func fileModePlan(_ spec: FilterSpec, _ options: Options) -> FileModePlan? { nil }
}

/// Runs raw libavfilter text, the fallback for names that no filter plugin has.
public protocol RawFilterPlugin: Plugin {
    /// Checks text without running it; `bad-argument` names the wrong part.
    func check(_ text: String) throws(MediaError)
    /// Makes a filter of the text.
    func makeFilter(_ text: String) throws(MediaError) -> sending any AudioFilter
    /// Converts to one of the accepted formats, without any filter.
    func makeConverter() -> sending any AudioFilter
    /// Converts pictures: to one of the pixel formats, optionally to a size.
    func makeVideoConverter(pixelFormats: [String]) -> sending any VideoConverter
    /// Name and summary of every filter it knows.
    var catalogue: [PluginInfo] { get }
    /// The options of one of its filters; nil where it has none of this name.
    func describe(_ name: String) -> [OptionSpec]?
}

/// Pictures into another pixel format.
///
/// Threading: confined.
public protocol VideoConverter: AnyObject {
    /// The frame in an accepted format.
    func convert(_ frame: Frame) throws(MediaError) -> Frame
}

/// How a container sink is set up.
public struct ContainerPreset: Sendable {
    /// FFmpeg's short name of the container; nil to infer it from the output's name.
    public var container: String?
    /// The encoder for sound; nil for the container's default.
    public var audioEncoder: String?
    /// The encoder for pictures; nil for the container's default.
    public var videoEncoder: String?
    /// The kinds of streams it takes.
    public var kinds: Set<MediaKind>
    /// Whether streams that nothing touches are copied instead of encoded.
    public var copiesUntouched: Bool

    /// Describes a container sink.
    public init(
        container: String?, audioEncoder: String? = nil, videoEncoder: String? = nil,
        kinds: Set<MediaKind>, copiesUntouched: Bool
    ) {
        self.container = container
        self.audioEncoder = audioEncoder
        self.videoEncoder = videoEncoder
        self.kinds = kinds
        self.copiesUntouched = copiesUntouched
    }
}

/// Names a place where playback ends.
public protocol SinkPlugin: Plugin {
    /// The container it writes; nil where it takes frames.
    var container: ContainerPreset? { get }
    /// Makes a sink of frames; only where `container` is nil.
    func makeSink(_ options: Options) throws(MediaError) -> any Sink
}
