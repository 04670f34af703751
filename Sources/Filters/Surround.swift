// The filter `surround`: wider sound.

public import MediaCore
public import MediaModel

/// Widens each pair of channels, or brings it nearer for headphones.
///
/// - Shape: any layout and rate, planar Float32; the same layout and length out, aligned. Front,
///   side and back pairs are treated each on its own; mono and all other channels stay as they are.
/// - Units: `3DSurround` widens the side-to-middle ratio by at least 3 dB, `wide` by up to 6 dB;
///   both keep the mono sum within 1.3 dB and the loudness within 1 LU (sound that is almost all
///   side is widened less). `headphone` is a crossfeed under 700 Hz.
/// - Latency: 2 ms; taken back by the timestamps.
/// - Peaks: none is added above −0.3 dBFS.
public struct Surround: FilterPlugin {
    /// Describes the filter.
    public init() {}

    /// Name and summary.
    public let info = PluginInfo(
        name: "surround", summary: "Widens the sound, or brings it nearer for headphones.")

    /// Its options.
    public let options = [EnhanceOptions.surroundType]

    /// Audio enhance, as all three that lift dialogue or widen the sound.
    public let premium: PremiumFeature? = .audioEnhance

    /// Makes one with checked options.
    public func makeFilter(_ options: Options) throws(MediaError) -> sending any AudioFilter {
        let kernel = EnhanceKernel([.surround], options) { options in
            EnhanceSettings(
                isSurroundOn: true, surroundKind: EnhanceOptions.surroundKind(options))
        }
        return PlanarFilter(info.name, kernel)
    }
}
