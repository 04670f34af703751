// What a player tells its listeners.

public import MediaCore
public import MediaModel

/// Something that happened, posted once, in order, after it is true.
public enum PlayerEvent: Sendable {
    /// The engine's state is another.
    case stateChanged(PlayerState)
    /// The public status is another.
    case statusChanged(PlayerStatus)
    /// A medium was opened.
    case mediaInfo(MediaInfo)
    /// Where playback is, at each position interval.
    case positionTimer(MediaTime)
    /// Frames of the place sought have come.
    case seekDone(MediaTime)
    /// Everything was played.
    case ended
    /// Something was mended or skipped and playback goes on.
    case warning(String)
    /// Options of a filter that can't change while playing keep their values.
    case filterIgnored(label: String, reasons: [String])
    /// Playback failed and ended.
    case error(MediaError)
    /// The sound of a stream has another format.
    case formatChanged(stream: Int, AudioFormat)
    /// Another stream of a kind plays, or none.
    case trackChanged(MediaKind, stream: Int?)
    /// Nothing decodes a stream's codec, or it is switched off (103 for pictures, 101 for sound).
    case codecNotSupported(MediaKind, stream: Int, codec: String, MediaError)
    /// A stream is decoded by another decoder than was said at first.
    case decoderChanged(stream: Int, DecoderChoice)
    /// A device failed, and its pictures are decoded in software (100).
    case switchedToSoftwareDecoder(stream: Int, device: String, MediaError)
    /// Playback goes on with another URL, at the same position.
    case switchedToBackup(from: String, to: String, MediaError)

    /// An event as documentation lists it.
    public struct Description: Sendable {
        /// The name, as scripts know it.
        public let name: String
        /// The names of its fields.
        public let fields: [String]
        /// One sentence for people.
        public let summary: String
    }

    /// All events, in one table.
    public static let table: [Description] = [
        Description(
            name: "state_changed", fields: ["state"], summary: "The engine's state is another."),
        Description(
            name: "status_changed", fields: ["status"], summary: "The public status is another."),
        Description(name: "media_info", fields: ["info"], summary: "A medium was opened."),
        Description(
            name: "position_timer", fields: ["position"],
            summary: "Where playback is, at each position interval."),
        Description(
            name: "seek_done", fields: ["position"],
            summary: "Frames of the place sought have come."),
        Description(name: "ended", fields: [], summary: "Everything was played."),
        Description(
            name: "warning", fields: ["message"],
            summary: "Something was mended or skipped and playback goes on."),
        Description(
            name: "filter_ignored", fields: ["label", "reasons"],
            summary: "Options of a filter that can't change while playing keep their values."),
        Description(
            name: "error", fields: ["message", "code"], summary: "Playback failed and ended."),
        Description(
            name: "format_changed", fields: ["stream", "format"],
            summary: "The sound of a stream has another format."),
        Description(
            name: "track_changed", fields: ["kind", "stream"],
            summary: "Another stream of a kind plays, or none."),
        Description(
            name: "video_codec_not_support", fields: ["stream", "codec", "message"],
            summary: "Nothing decodes a picture's codec, or it is switched off (103)."),
        Description(
            name: "audio_codec_not_support", fields: ["stream", "codec", "message"],
            summary: "Nothing decodes a sound's codec, or it is switched off (101)."),
        Description(
            name: "decoder_changed", fields: ["stream", "decoder"],
            summary: "A stream is decoded by another decoder than was said at first."),
        Description(
            name: "switch_to_software_decoder", fields: ["stream", "device", "message", "code"],
            summary: "A device failed, and its pictures are decoded in software (100)."),
        Description(
            name: "switch_to_backup_url", fields: ["url", "backup", "message", "code"],
            summary: "Playback goes on with another URL, at the same position."),
    ]

    /// The name, as scripts know it.
    public var name: String { fields.name }

    /// The fields by name, as scripts see them.
    public var payload: JSON { .object(fields.members) }

    private var fields: (name: String, members: [JSON.Member]) {
        switch self {
        case .stateChanged(let state):
            ("state_changed", [.init("state", .string(state.name))])
        case .statusChanged(let status):
            ("status_changed", [.init("status", .string(status.rawValue))])
        case .mediaInfo(let info):
            ("media_info", [.init("info", PlayerProperty.facts(info))])
        case .positionTimer(let time):
            ("position_timer", [.init("position", .double(time.seconds))])
        case .seekDone(let time):
            ("seek_done", [.init("position", .double(time.seconds))])
        case .ended:
            ("ended", [])
        case .warning(let message):
            ("warning", [.init("message", .string(message))])
        case .filterIgnored(let label, let reasons):
            (
                "filter_ignored",
                [
                    .init("label", .string(label)),
                    .init("reasons", .array(reasons.map(JSON.string))),
                ]
            )
        case .error(let error):
            (
                "error",
                [
                    .init("message", .string(error.message)),
                    .init("code", .string(error.code.rawValue)),
                ]
            )
        case .formatChanged(let stream, let format):
            (
                "format_changed",
                [
                    .init("stream", .int(Int64(stream))),
                    .init("format", .string(format.description)),
                ]
            )
        case .trackChanged(let kind, let stream):
            (
                "track_changed",
                [
                    .init("kind", .string(kind.rawValue)),
                    .init("stream", stream.map { .int(Int64($0)) } ?? .null),
                ]
            )
        case .codecNotSupported(let kind, let stream, let codec, let error):
            (
                kind == .audio ? "audio_codec_not_support" : "video_codec_not_support",
                [
                    .init("stream", .int(Int64(stream))), .init("codec", .string(codec)),
                    .init("message", .string(error.message)),
                ]
            )
        case .decoderChanged(let stream, let choice):
            (
                "decoder_changed",
                [.init("stream", .int(Int64(stream))), .init("decoder", choice.json)]
            )
        case .switchedToBackup(let from, let to, let error):
            (
                "switch_to_backup_url",
                [
                    .init("url", .string(from)), .init("backup", .string(to)),
                    .init("message", .string(error.message)),
                    .init("code", .string(error.code.rawValue)),
                ]
            )
        case .switchedToSoftwareDecoder(let stream, let device, let error):
            (
                "switch_to_software_decoder",
                [
                    .init("stream", .int(Int64(stream))), .init("device", .string(device)),
                    .init("message", .string(error.message)),
                    .init("code", .string(error.code.rawValue)),
                ]
            )
        }
    }
}
