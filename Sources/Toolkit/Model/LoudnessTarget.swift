// What a programme's loudness is brought to.

/// Target and ceiling of a loudness normalisation (EBU R 128, ITU-R BS.1770).
public struct LoudnessTarget: Hashable, Sendable {
    /// Integrated loudness, in LUFS.
    public var integrated: Double
    /// Highest true peak, in dBTP.
    public var truePeak: Double
    /// Whether a group of files shares one gain.
    public var isAlbum: Bool

    /// Joins the numbers.
    public init(integrated: Double, truePeak: Double, isAlbum: Bool = false) {
        self.integrated = integrated
        self.truePeak = truePeak
        self.isAlbum = isAlbum
    }
}
