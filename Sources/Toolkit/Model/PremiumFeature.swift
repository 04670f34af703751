// What a licence can be asked for, and who needs it.

/// A part of the toolkit that a program may sell.
///
/// - Source: names and numbers below 1000 are those of `AVPPremiumBizType`, as the player's
///   programs know them; those from 1000 on are mediakit's own.
public enum PremiumFeature: Int, CaseIterable, Sendable {
    /// Loading media ahead of playback.
    case mediaLoader = 1
    /// Rendering the first picture before playback.
    case preRenderOption = 102
    /// The adaptive strategies beyond the usual one.
    case premiumAbrStrategy = 103
    /// Going over to another URL where a codec can't be decoded well.
    case h265Adaptive = 104
    /// DASH.
    case dashSupport = 105
    /// Subtitles from files of their own.
    case extSubtitle = 108
    /// Decoding VVC (H.266), by whatever decoder.
    case h266Support = 109
    /// The filters audioEnhance, dialogueEnhance and surround.
    case audioEnhance = 1001

    /// The name, as licences and scripts write it: `H266Support`.
    public var name: String {
        switch self {
        case .mediaLoader: "MediaLoader"
        case .preRenderOption: "PreRenderOption"
        case .premiumAbrStrategy: "PremiumAbrStrategy"
        case .h265Adaptive: "H265Adaptive"
        case .dashSupport: "DashSupport"
        case .extSubtitle: "EXTSubtitle"
        case .h266Support: "H266Support"
        case .audioEnhance: "AudioEnhance"
        }
    }

    /// One sentence for people.
    public var summary: String {
        switch self {
        case .mediaLoader: "Loading media ahead of playback."
        case .preRenderOption: "Rendering the first picture before playback."
        case .premiumAbrStrategy: "The adaptive strategies beyond the usual one."
        case .h265Adaptive: "Going over to another URL where a codec can't be decoded well."
        case .dashSupport: "DASH."
        case .extSubtitle: "Subtitles from files of their own."
        case .h266Support: "Decoding VVC (H.266), by whatever decoder."
        case .audioEnhance: "The filters audioEnhance, dialogueEnhance and surround."
        }
    }

    /// The feature with this name.
    public init?(name: String) {
        guard let feature = PremiumFeature.allCases.first(where: { $0.name == name }) else {
            return nil
        }
        self = feature
    }

    /// What decoding a codec, by FFmpeg's name of it, needs; nil for most.
    public init?(decoding codec: String) {
        guard codec == "vvc" else { return nil }
        self = .h266Support
    }
}
