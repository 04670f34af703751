// The filter `audioEnhance`: dialogue, surround and normaliser in one.

public import MediaCore
public import MediaModel

/// Lifts dialogue, widens the sound, and normalises loudness, each with a switch.
///
/// - Shape: any layout and rate, planar Float32; the same layout and length out, aligned.
/// - Options: all live but `surround_effect_type`, which is fixed when surround is first enabled.
///   Changes fade within 50 ms.
/// - Latency: a block of at most 48 ms, plus 2 ms, plus the limiter's 5 ms and 15 frames, whatever
///   is switched on; taken back by the timestamps.
/// - Peaks: dialogue and surround add none above −0.3 dBFS.
/// - In a batch, `enable_normalizer` measures the whole file first.
public struct AudioEnhance: FilterPlugin {
    /// Describes the filter.
    public init() {}

    /// Name and summary.
    public let info = PluginInfo(
        name: "audioEnhance", summary: "Dialogue, surround and loudness, each with a switch.")

    /// Its options.
    public let options = [
        EnhanceOptions.enableSurround, EnhanceOptions.surroundType, EnhanceOptions.enableDialogue,
        EnhanceOptions.voice, EnhanceOptions.enableNormalizer, EnhanceOptions.target,
        EnhanceOptions.truePeak, EnhanceOptions.preset, EnhanceOptions.album,
    ]

    /// Audio enhance, as all three that lift dialogue or widen the sound.
    public let premium: PremiumFeature? = .audioEnhance

    /// Makes one with checked options.
    public func makeFilter(_ options: Options) throws(MediaError) -> sending any AudioFilter {
        let kernel = EnhanceKernel([.dialogue, .surround, .normalizer], options) { options in
            EnhanceSettings(
                voice: options.bool("enable_dialoguenhance")
                    ? options.double("dialoguenhance_voice") : nil,
                isSurroundOn: options.bool("enable_surround"),
                surroundKind: EnhanceOptions.surroundKind(options),
                loudness: options.bool("enable_normalizer") ? EnhanceOptions.loudness(options) : nil
            )
        }
        return PlanarFilter(info.name, kernel)
    }

    /// The other parts first, then the measured gain.
    public func fileModePlan(_ spec: FilterSpec, _ options: Options) -> FileModePlan? {
        guard options.bool("enable_normalizer") else { return nil }
        var before: [FilterSpec] = []
        if options.bool("enable_surround") || options.bool("enable_dialoguenhance") {
            var values = options.given
            for name in ["enable_normalizer", "target", "true_peak", "preset", "album"] {
                values[name] = nil
            }
            before = [FilterSpec(.named(info.name, values), label: spec.label)]
        }
        return FileModePlan(before: before, target: EnhanceOptions.loudness(options))
    }
}
