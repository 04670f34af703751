// FFmpeg's loudness meter as the judge of ours.

public import MediaCore

/// What FFmpeg's `ebur128` filter says about a signal.
public struct LoudnessJudgement: Sendable {
    /// Integrated loudness in LUFS.
    public let integrated: Double
    /// Loudness range in LU.
    public let range: Double
    /// True peak in dBTP; −∞ for silence.
    public let truePeak: Double

    /// Asks the command-line program; `layout` is FFmpeg's name of the channel layout.
    public init(_ signal: Signal, layout: String) throws(MediaError) {
        try self.init(
            input: [
                "-f", "f32le", "-ar", "\(signal.rate)", "-ac", "\(signal.planes.count)", "-i", "-",
            ],
            filter: "aformat=channel_layouts=\(layout)", bytes: signal.interleavedBytes)
    }

    /// Asks about the first sound of a file.
    public init(file: String) throws(MediaError) {
        try self.init(input: ["-i", file], filter: "anull", bytes: [])
    }

    private init(input: [String], filter: String, bytes: [UInt8]) throws(MediaError) {
        let result = try run(
            "ffmpeg",
            ["-hide_banner", "-nostats"] + input
                + ["-map", "0:a:0", "-af", "\(filter),ebur128=peak=true", "-f", "null", "-"],
            input: bytes)
        let text = result.errorText
        guard result.status == 0, let summary = text.lastRange(of: "Summary:") else {
            throw MediaError(.internalError, "ffmpeg: \(result)")
        }
        func figure(_ name: String) -> Double {
            guard let at = text[summary...].firstRange(of: name) else { return .nan }
            let word = text[at.upperBound...].drop { $0 == " " }.prefix { $0 != " " && $0 != "\n" }
            return Double(word) ?? .nan
        }
        integrated = figure("I:")
        range = figure("LRA:")
        truePeak = figure("Peak:")
    }
}

extension String {
    fileprivate func lastRange(of text: String) -> String.Index? {
        ranges(of: text).last?.lowerBound
    }
}
