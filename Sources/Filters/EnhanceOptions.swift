// The options of the enhancing filters, each declared once.

internal import Loudness
internal import MediaCore
internal import MediaModel

/// Option specs shared by `audioEnhance` and the filters that stand alone.
enum EnhanceOptions {
    static let enableSurround = OptionSpec(
        "enable_surround", .bool, default: .bool(false), live: true,
        "Widens the sound; mono stays as it is.")
    static let surroundType = OptionSpec(
        "surround_effect_type", .choice(SurroundKind.allCases.map(\.rawValue)),
        default: .string(SurroundKind.surround3D.rawValue),
        "Which effect: 3DSurround (wide, with early reflections), wide, or headphone "
            + "(crossfeed); fixed when surround is first enabled.")
    static let enableDialogue = OptionSpec(
        "enable_dialoguenhance", .bool, default: .bool(false), live: true,
        "Lifts dialogue over its background.")
    static let voice = OptionSpec(
        "dialoguenhance_voice", .double(1...10), default: .double(5), live: true,
        "How much: each step lifts voice by 0.8 dB and lowers the background in the middle by 1.8 dB."
    )
    static let enableNormalizer = OptionSpec(
        "enable_normalizer", .bool, default: .bool(false), live: true,
        "Brings the loudness to the target: live while playing, by measuring the whole file in a "
            + "batch.")
    static let target = OptionSpec(
        "target", .double(LoudnessTarget.integratedRange), default: .double(-16), unit: "LUFS",
        live: true, "The integrated loudness that is aimed at.")
    static let truePeak = OptionSpec(
        "true_peak", .double(LoudnessTarget.truePeakRange), default: .double(-1), unit: "dBTP",
        live: true, "The highest peak between samples.")
    static let preset = OptionSpec(
        "preset", .choice(LoudnessPreset.allCases.map(\.rawValue)), default: nil, live: true,
        "Target and true peak by name (ebu-r128: -23 LUFS, podcast: -16, streaming: -14, all "
            + "-1 dBTP); target and true_peak win over it.")
    static let album = OptionSpec(
        "album", .bool, default: .bool(false),
        "In a batch, one gain for all files together.")

    /// The loudness target that options ask for.
    static func loudness(_ options: Options) -> LoudnessTarget {
        var target = LoudnessPreset.podcast.target
        if let name = options.string("preset"), let preset = LoudnessPreset(rawValue: name) {
            target = preset.target
        }
        if options.given["target"] != nil, let value = options.double("target") {
            target.integrated = value
        }
        if options.given["true_peak"] != nil, let value = options.double("true_peak") {
            target.truePeak = value
        }
        target.isAlbum = options.bool("album")
        return target
    }

    /// The kind of surround effect that options ask for.
    static func surroundKind(_ options: Options) -> SurroundKind {
        options.string("surround_effect_type").flatMap(SurroundKind.init) ?? .surround3D
    }
}
