// What is known of one elementary stream.

package import CFFmpeg
public import MediaCore

/// What a stream carries.
public enum MediaKind: String, CaseIterable, Sendable {
    /// Pictures, covers among them.
    case video
    /// Sound.
    case audio
    /// Subtitles.
    case subtitle
    /// Anything timed that is none of these.
    case data
    /// A file inside the container, as a font.
    case attachment

    package init(_ type: AVMediaType) {
        switch type {
        case AVMEDIA_TYPE_VIDEO: self = .video
        case AVMEDIA_TYPE_AUDIO: self = .audio
        case AVMEDIA_TYPE_SUBTITLE: self = .subtitle
        case AVMEDIA_TYPE_ATTACHMENT: self = .attachment
        default: self = .data
        }
    }
}

/// One name and value of metadata; names may repeat, order is kept.
public struct MetadataEntry: Hashable, Sendable {
    /// The name, as the container writes it.
    public let name: String
    /// The value.
    public let value: String

    /// Joins a name and a value.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A block of side data that belongs to a whole stream (rotation, replay gain, …).
public struct StreamSideData: Hashable, Sendable {
    /// FFmpeg's number of its type.
    package let type: UInt32
    /// The bytes.
    package let bytes: [UInt8]

    package init(type: UInt32, bytes: [UInt8]) {
        self.type = type
        self.bytes = bytes
    }
}

/// One elementary stream of a container, as values that can be sent anywhere.
public struct StreamInfo: Sendable {
    /// Its place in the container, from 0.
    public var index: Int
    /// What it carries.
    public var kind: MediaKind { parameters.kind }
    /// Codec and format.
    public var parameters: CodecParameters
    /// What one tick of its packets lasts.
    public var timeBase: TimeBase
    /// Its first timestamp, in ticks; nil where unknown.
    public var startTicks: Int64?
    /// How long it lasts; nil where unknown.
    public var duration: MediaTime?
    /// Frames a second of video; nil for other kinds or where unknown.
    public var frameRate: Ratio?
    /// FFmpeg's disposition bits (default, forced, attached picture, …), copied as they are.
    public var disposition: Int32
    /// Metadata of this stream.
    public var metadata: [MetadataEntry]
    /// Side data of the whole stream.
    public var sideData: [StreamSideData]
    /// The decoder that was chosen for it; nil where nothing decodes it, or nothing needs to.
    public var decoder: DecoderChoice?
    /// The bytes of a cover picture, for containers that keep it apart from packets.
    package var coverBytes: [UInt8]?

    /// Gathers what is known.
    public init(
        index: Int, parameters: CodecParameters, timeBase: TimeBase, startTicks: Int64? = nil,
        duration: MediaTime? = nil, frameRate: Ratio? = nil, disposition: Int32 = 0,
        metadata: [MetadataEntry] = [], sideData: [StreamSideData] = []
    ) {
        self.index = index
        self.parameters = parameters
        self.timeBase = timeBase
        self.startTicks = startTicks
        self.duration = duration
        self.frameRate = frameRate
        self.disposition = disposition
        self.metadata = metadata
        self.sideData = sideData
    }

    /// Disposition bits for a stream that was found without FFmpeg.
    public static func disposition(
        isDefault: Bool, isForced: Bool = false, isAttachedPicture: Bool = false
    ) -> Int32 {
        (isDefault ? AV_DISPOSITION_DEFAULT : 0) | (isForced ? AV_DISPOSITION_FORCED : 0)
            | (isAttachedPicture ? AV_DISPOSITION_ATTACHED_PIC : 0)
    }

    /// Whether it is a cover picture rather than moving video.
    public var isAttachedPicture: Bool { disposition & AV_DISPOSITION_ATTACHED_PIC != 0 }
    /// Whether the container marks it as the one to play.
    public var isDefault: Bool { disposition & AV_DISPOSITION_DEFAULT != 0 }
    /// Whether it is the text of chapters, which `MediaInfo.chapters` tells too.
    package var isChapterTrack: Bool {
        kind == .data && parameters.codecName == "bin_data" && parameters.tag == "text"
    }
    /// Whether it is a track of QuickTime that only tells the time code of the first picture.
    package var isTimecodeTrack: Bool { kind == .data && parameters.tag == "tmcd" }
    /// Forgets how loud a reader is to play it.
    package mutating func dropReplayGain() {
        sideData.removeAll { $0.type == AV_PKT_DATA_REPLAYGAIN.rawValue }
    }
    /// The names of its disposition bits: `default`, `forced`, `attached_pic`, ….
    public var dispositionNames: [String] {
        (0..<31).compactMap { bit in
            disposition & (1 << bit) == 0
                ? nil : av_disposition_to_string(1 << bit).map { String(cString: $0) }
        }
    }
    /// The language tag of the container (ISO 639-2), where it gives one.
    public var language: String? { metadata.first { $0.name == "language" }?.value }
}
