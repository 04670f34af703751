// How a player is set up, as one option table.

public import MediaCore
public import Pipeline

/// Sink, clock, output and limits of a player.
public struct PlayerConfiguration: Sendable {
    /// What paces playback.
    public enum Clock: String, CaseIterable, Sendable {
        /// As fast as the medium is meant to be heard.
        case realtime
        /// As fast as the machine can.
        case free
    }

    /// What paces playback.
    public var clock = Clock.realtime
    /// The name of the sink plugin.
    public var sink = "null"
    /// The sink's own options.
    public var sinkOptions: [String: OptionValue] = [:]
    /// Where a container sink writes; nil or `-` for standard output.
    public var output: String?
    /// What a container sink's output is to be.
    public var settings = OutputSettings()
    /// Where playback begins; nil for the start.
    public var start: MediaTime?
    /// How much is played; nil for all.
    public var duration: MediaTime?
    /// Plays sound only.
    public var disablesVideo = false
    /// Plays pictures only.
    public var disablesAudio = false
    /// Plays what can be decoded where the codec of the sound or the picture can't be.
    public var skipsUnsupported = false
    /// Decodes pictures on a device of the machine where there is one that can.
    public var enablesHardwareDecoder = true
    /// Plays as soon as it is opened.
    public var autoplay = false
    /// How often `position` is posted as an event.
    public var positionInterval = MediaTime.milliseconds(500)
    /// How long opening may take.
    public var openTimeout = MediaTime(seconds: 30)
    /// How long a blocking hook may take.
    public var hookTimeout = MediaTime(seconds: 30)

    /// How long pictures may come too slowly in real time before `PlayerHook.backupURL` is asked for
    /// another URL; zero for never.
    public var backupAfterLate = MediaTime(seconds: 5)

    /// The defaults.
    public init() {}

    /// Reads the options of the table, those of `OutputSettings` among them.
    public init(_ options: Options) throws(MediaError) {
        settings = try OutputSettings(options)
        clock = options.string("clock").flatMap(Clock.init(rawValue:)) ?? clock
        output = options.string("output")
        // Only an output was named: it is to be written.
        sink =
            options.given["sink"] == nil && output != nil ? "file" : options.string("sink") ?? sink
        start = options.double("start").map(MediaTime.init(seconds:))
        duration = options.double("duration").map(MediaTime.init(seconds:))
        disablesVideo = options.bool("disable_video")
        disablesAudio = options.bool("disable_audio")
        skipsUnsupported = options.bool("skip_unsupported")
        enablesHardwareDecoder = options.bool("enable_hardware_decoder")
        autoplay = options.bool("autoplay")
        positionInterval =
            options.double("position_interval").map(MediaTime.init(seconds:)) ?? positionInterval
        openTimeout = options.double("open_timeout").map(MediaTime.init(seconds:)) ?? openTimeout
        hookTimeout = options.double("hook_timeout").map(MediaTime.init(seconds:)) ?? hookTimeout
        backupAfterLate =
            options.double("backup_after_late").map(MediaTime.init(seconds:)) ?? backupAfterLate
    }

    /// Refuses times outside of the ranges of the table; `bad-argument`.
    func check() throws(MediaError) {
        let times = [
            "start": start, "duration": duration, "position_interval": positionInterval,
            "open_timeout": openTimeout, "hook_timeout": hookTimeout,
            "backup_after_late": backupAfterLate,
        ]
        let values = times.compactMapValues { $0.map { OptionValue.double($0.seconds) } }
        _ = try Options(values, specs: PlayerConfiguration.options, owner: "player")
    }

    /// The options that the command line, Lua and the reference share.
    public static let options: [OptionSpec] =
        [
            OptionSpec(
                "clock", .choice(Clock.allCases.map(\.rawValue)), default: .string("realtime"),
                "What paces playback: real time, or as fast as possible."),
            OptionSpec(
                "sink", .string, default: .string("null"),
                "Where frames end, file when only an output is named; see `mediakit plugins` for the "
                    + "sinks there are."),
            OptionSpec(
                "output", .string, default: nil,
                "File a container sink writes; standard output when not set or '-'."),
            OptionSpec(
                "start", .double(0...1e7), default: nil, unit: "s", "Where playback begins."),
            OptionSpec(
                "duration", .double(0...1e7), default: nil, unit: "s", "How much is played."),
            OptionSpec("disable_video", .bool, default: .bool(false), "Plays sound only."),
            OptionSpec("disable_audio", .bool, default: .bool(false), "Plays pictures only."),
            OptionSpec(
                "skip_unsupported", .bool, default: .bool(false),
                "Plays the sound where the picture's codec can't be decoded, and the other way "
                    + "round; without it that is an error."),
            OptionSpec(
                "enable_hardware_decoder", .bool, default: .bool(true),
                "Decodes pictures on a device (VAAPI, CUDA, Vulkan, …) where the machine has one for "
                    + "the codec, and in software where not or as soon as it fails."),
            OptionSpec(
                "autoplay", .bool, default: .bool(false), "Plays as soon as it is opened."),
            OptionSpec(
                "position_interval", .double(0.02...3600), default: .double(0.5), unit: "s",
                "How often the position is posted as an event."),
            OptionSpec(
                "open_timeout", .double(0.1...86400), default: .double(30), unit: "s",
                "How long opening may take, hooks not counted."),
            OptionSpec(
                "hook_timeout", .double(0.1...86400), default: .double(30), unit: "s",
                "How long a hook may hold up opening."),
            OptionSpec(
                "backup_after_late", .double(0...3600), default: .double(5), unit: "s",
                "How long pictures may come slower than nine tenths of real time before a backup URL "
                    + "is asked for; 0 for never."),
        ] + OutputSettings.options
}
