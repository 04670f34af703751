// The filter `dialogueEnhance`: voice over background.

public import MediaCore
public import MediaModel

/// Lifts dialogue over its background.
///
/// - Shape: any layout and rate, planar Float32; the same layout and length out, aligned. Stereo:
///   what stands in the middle is lifted, the side signal stays as it is. With a centre channel:
///   the centre, and the middle of the front pair where the centre is quiet. Mono: voice against
///   the steady background.
/// - Units: `dialoguenhance_voice` 1…10; each step lifts voice by 0.8 dB and lowers the background
///   in the middle by 1.8 dB.
/// - Latency: a block of at most 48 ms and 2 ms; taken back by the timestamps.
/// - Peaks: none is added above −0.3 dBFS; where sound leaves no room for the lift, the background
///   goes down by more instead.
public struct DialogueEnhance: FilterPlugin {
    /// Describes the filter.
    public init() {}

    /// Name and summary.
    public let info = PluginInfo(
        name: "dialogueEnhance", summary: "Lifts dialogue over its background.")

    /// Its options.
    public let options = [EnhanceOptions.voice]

    /// Audio enhance, as all three that lift dialogue or widen the sound.
    public let premium: PremiumFeature? = .audioEnhance

    /// Makes one with checked options.
    public func makeFilter(_ options: Options) throws(MediaError) -> sending any AudioFilter {
        let kernel = EnhanceKernel([.dialogue], options) { options in
            EnhanceSettings(voice: options.double("dialoguenhance_voice"))
        }
        return PlanarFilter(info.name, kernel)
    }
}
