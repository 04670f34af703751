// Which options of encoders touch nothing but what is encoded.

/// Options that a contained script may set.
///
/// Others may name files (`stats`, and what `x264-params` or `x265-params` carry), or make an encoder
/// write one of its own choice (`flags=+pass1`), so only known ones pass.
enum EncoderReach {
    /// The names in these tables that are not known to be harmless.
    static func unknown(in tables: [[String: String]]) -> [String] {
        tables.flatMap(\.keys).filter { !harmless.contains($0) }.sorted()
    }

    private static let harmless: Set<String> = [
        // Of any encoder.
        "b", "bf", "bufsize", "compression_level", "cutoff", "g", "global_quality", "keyint_min",
        "level", "maxrate", "minrate", "profile", "q", "qmax", "qmin", "refs", "strict", "threads",
        "trellis",
        // Of sound.
        "aac_coder", "aac_is", "aac_ltp", "aac_ms", "aac_pce", "aac_pns", "aac_pred", "aac_tns",
        "abr", "application", "apply_phase_inv", "center_mixlev", "ch_mode", "copyright",
        "dialnorm", "exact_rice_parameters", "fec", "frame_duration", "iblock", "joint_stereo",
        "lpc_coeff_precision", "lpc_passes", "lpc_type", "mapping_family", "max_partition_order",
        "max_prediction_order", "min_partition_order", "min_prediction_order", "multi_dim_quant",
        "optimize_mono", "original", "packet_loss", "prediction_order_method", "reservoir",
        "room_type", "surround_mixlev", "vbr",
        // Of pictures.
        "aq-mode", "auto-alt-ref", "coder", "context", "cpu-used", "cqp", "crf", "deadline",
        "huffman", "intra_vlc", "lag-in-frames", "lossless", "motion_est", "non_deterministic",
        "pred", "preset", "qp", "quality", "row-mt", "sc_threshold", "slices", "speed",
        "tile-columns",
        "tile-rows", "tiles", "tune",
    ]
}
