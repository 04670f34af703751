// What an output is to be: container, encoders, rates, as one option table.

public import MediaCore
public import MediaModel

/// The wishes for an output; what is nil is chosen from the input and the container.
public struct OutputSettings: Hashable, Sendable {
    /// FFmpeg's short name of the container; nil to infer it from the output's name.
    public var container: String?
    /// FFmpeg's name of the encoder or codec for sound.
    public var audioEncoder: String?
    /// Bits a second of encoded sound.
    public var audioBitRate: Int?
    /// Samples a second, in Hz.
    public var sampleRate: Int?
    /// The channels.
    public var layout: ChannelLayout?
    /// Private options of the audio encoder, by FFmpeg's names.
    public var audioOptions: [String: String] = [:]
    /// FFmpeg's name of the encoder or codec for pictures; they are copied where it is nil.
    public var videoEncoder: String?
    /// Bits a second of encoded pictures.
    public var videoBitRate: Int?
    /// Private options of the video encoder, by FFmpeg's names.
    public var videoOptions: [String: String] = [:]
    /// Private options of the container, by FFmpeg's names.
    public var containerOptions: [String: String] = [:]
    /// Leaves out what differs between runs and versions (encoder names, dates).
    public var isBitExact = false

    /// Wishes nothing.
    public init() {}

    /// Reads the options of the table.
    ///
    /// - Throws: `bad-argument` for a layout or an option list that can't be read.
    public init(_ options: Options) throws(MediaError) {
        container = options.string("container")
        audioEncoder = options.string("audio_encoder")
        audioBitRate = options.int("audio_bitrate")
        sampleRate = options.int("sample_rate")
        if let name = options.string("layout") {
            guard let layout = ChannelLayout(named: name) else {
                throw MediaError(.badArgument, "option 'layout': no channel layout '\(name)'")
            }
            self.layout = layout
        }
        audioOptions = try OutputSettings.pairs(options, "audio_options")
        videoEncoder = options.string("video_encoder")
        videoBitRate = options.int("video_bitrate")
        videoOptions = try OutputSettings.pairs(options, "video_options")
        containerOptions = try OutputSettings.pairs(options, "container_options")
        isBitExact = options.bool("bit_exact")
    }

    /// The options that the command line, Lua and the reference share.
    public static let options: [OptionSpec] = [
        OptionSpec(
            "container", .string, default: nil,
            "Container by FFmpeg's short name; inferred from the output's name when not set."),
        OptionSpec(
            "audio_encoder", .string, default: nil,
            "Encoder or codec for sound; the input's codec where the container takes it, "
                + "else the container's default."),
        OptionSpec(
            "audio_bitrate", .int(1_000...100_000_000), default: nil, unit: "bit/s",
            "Bit rate of encoded sound; when not set, at least the input's where the codec stays the "
                + "same, else 64 kbit/s a channel and at least 128 kbit/s, or the encoder's own choice "
                + "where it can't have that."),
        OptionSpec(
            "sample_rate", .int(1_000...768_000), default: nil, unit: "Hz",
            "Sample rate of the output; when not set, the input's, or one near it that the encoder "
                + "takes, with a warning where it is lower."),
        OptionSpec(
            "layout", .string, default: nil,
            "Channel layout of the output (mono, stereo, 5.1, ...); when not set, the input's, or one "
                + "that the encoder takes, with a warning where it has fewer channels."),
        OptionSpec(
            "audio_options", .string, default: nil,
            "Private options of the audio encoder, as name=value:name=value."),
        OptionSpec(
            "video_encoder", .string, default: nil,
            "Encoder or codec for pictures; they are copied when not set."),
        OptionSpec(
            "video_bitrate", .int(1_000...1_000_000_000), default: nil, unit: "bit/s",
            "Bit rate of encoded pictures; the encoder's own choice when not set."),
        OptionSpec(
            "video_options", .string, default: nil,
            "Private options of the video encoder, as name=value:name=value."),
        OptionSpec(
            "container_options", .string, default: nil,
            "Private options of the container, as name=value:name=value."),
        OptionSpec(
            "bit_exact", .bool, default: .bool(false),
            "Leaves out what differs between runs and versions."),
    ]

    /// Whether any wish concerns sound, so that it can't be copied.
    var touchesAudio: Bool {
        audioEncoder != nil || audioBitRate != nil || sampleRate != nil || layout != nil
            || !audioOptions.isEmpty
    }

    private static func pairs(
        _ options: Options, _ name: String
    ) throws(MediaError) -> [String: String] {
        var pairs: [String: String] = [:]
        for pair in (options.string(name) ?? "").split(separator: ":") {
            let halves = pair.split(separator: "=", maxSplits: 1)
            guard halves.count == 2 else {
                throw MediaError(.badArgument, "option '\(name)': '\(pair)' is not name=value")
            }
            pairs[String(halves[0])] = String(halves[1])
        }
        return pairs
    }
}
