// The filter `normalizer`: loudness to a target.

public import MediaCore
public import MediaModel

/// Brings the loudness to a target, with a ceiling for the true peak.
///
/// - Shape: any layout and rate, planar Float32; the same layout and length out, aligned.
/// - Modes: `live` steers the gain in one pass (`GainRider`: within 1.5 LU over a minute); `file`
///   measures the whole file and applies one constant gain (batch only); `auto` is `file` in a
///   batch and `live` while playing.
/// - Latency in live mode: 5 ms and 15 frames; taken back by the timestamps.
/// - Source: EBU R 128, ITU-R BS.1770-4.
public struct LoudnessNormalizer: FilterPlugin {
    /// Describes the filter.
    public init() {}

    /// Name and summary.
    public let info = PluginInfo(
        name: "normalizer", summary: "Brings loudness to a target by EBU R 128.")

    /// Its options.
    public let options = [
        EnhanceOptions.target, EnhanceOptions.truePeak, EnhanceOptions.preset,
        OptionSpec(
            "mode", .choice(["auto", "live", "file"]), default: .string("auto"),
            "live steers the gain in one pass, file measures the whole file first (batch only), "
                + "auto is file in a batch and live while playing."),
        EnhanceOptions.album,
    ]

    /// Makes one for live mode.
    ///
    /// - Throws: `bad-argument` for mode `file`, which needs the whole programme.
    public func makeFilter(_ options: Options) throws(MediaError) -> sending any AudioFilter {
        if options.string("mode") == "file" {
            throw MediaError(
                .badArgument,
                "normalizer: mode 'file' needs the whole file and works in a batch; use 'live' "
                    + "or 'auto' here")
        }
        let kernel = EnhanceKernel([.normalizer], options) { options in
            EnhanceSettings(loudness: EnhanceOptions.loudness(options))
        }
        return PlanarFilter(info.name, kernel)
    }

    /// The measured gain, unless live mode was asked for.
    public func fileModePlan(_ spec: FilterSpec, _ options: Options) -> FileModePlan? {
        if options.string("mode") == "live" { return nil }
        return FileModePlan(before: [], target: EnhanceOptions.loudness(options))
    }
}
