// The loudness targets that may be asked for, and those that many ask for.

public import MediaModel

extension LoudnessTarget {
    /// The loudness that may be asked for, in LUFS.
    public static let integratedRange = -23.0 ... -5.0
    /// The ceilings that may be asked for, in dBTP.
    public static let truePeakRange = -9.0...0.0
}

/// A loudness target by name.
public enum LoudnessPreset: String, CaseIterable, Sendable {
    /// Broadcast: −23 LUFS, −1 dBTP (EBU R 128).
    case ebuR128 = "ebu-r128"
    /// Spoken word: −16 LUFS, −1 dBTP (AES TD1008).
    case podcast
    /// Music services: −14 LUFS, −1 dBTP.
    case streaming

    /// The target it stands for, for single files.
    public var target: LoudnessTarget {
        switch self {
        case .ebuR128: LoudnessTarget(integrated: -23, truePeak: -1)
        case .podcast: LoudnessTarget(integrated: -16, truePeak: -1)
        case .streaming: LoudnessTarget(integrated: -14, truePeak: -1)
        }
    }
}
