// How much a channel counts in programme loudness.

internal import CEBUR128
public import MediaModel

/// The share of one channel in the loudness of a programme.
///
/// - Source: ITU-R BS.1770-4, annex 3, table 4: channels between 60° and 120° to the side count
///   1.41, low-frequency channels nothing, all others 1. FFmpeg's `ebur128` counts 1.41 for every
///   channel behind the listener: for 5.1 the same, for 7.1 up to 0.5 LU more.
public enum SpeakerWeight: Hashable, Sendable {
    /// In front, above, or behind beyond 120°: counts 1.
    case full
    /// To the side, between 60° and 120°: counts 1.41.
    case surround
    /// Low-frequency effects: does not count.
    case none

    /// The weight of each channel of a layout.
    ///
    /// Back channels stand at 110° where the layout has no side channels (`5.1`, `quad`), at 135°
    /// where it has (`7.1`).
    public static func weights(for layout: ChannelLayout) -> [SpeakerWeight] {
        let names = layout.channelNames
        let hasSides = names.contains("SL") || names.contains("SR")
        return names.map { name in
            switch name {
            case "LFE", "LFE2": .none
            case "SL", "SR", "SDL", "SDR", "WL", "WR": .surround
            case "BL", "BR": hasSides ? .full : .surround
            default: .full
            }
        }
    }

    /// The factor itself.
    var factor: Double {
        switch self {
        case .full: 1
        case .surround: 1.41
        case .none: 0
        }
    }

    var channel: channel {
        switch self {
        case .full: EBUR128_LEFT
        case .surround: EBUR128_LEFT_SURROUND
        case .none: EBUR128_UNUSED
        }
    }
}
