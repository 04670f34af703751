// How the pictures of a stream are to be shown: colours and rotation.

package import CFFmpeg
public import MediaCore

/// What the numbers of a picture mean, by FFmpeg's names; nil where nobody says.
public struct ColorFacts: Hashable, Sendable {
    /// `tv` for a part of the numbers, `pc` for all.
    public var range: String?
    /// How luma and chroma become red, green and blue: `bt709`, `bt2020nc`, ….
    public var matrix: String?
    /// What red, green and blue are.
    public var primaries: String?
    /// How numbers become light.
    public var transfer: String?
    /// Whether it is of high dynamic range: the transfer is PQ or HLG.
    public var isHDR: Bool

    package init(_ parameters: AVCodecParameters) {
        func name(_ text: UnsafePointer<CChar>?) -> String? {
            text.map { String(cString: $0) }.flatMap { $0 == "unknown" ? nil : $0 }
        }
        range = name(av_color_range_name(parameters.color_range))
        matrix = name(av_color_space_name(parameters.color_space))
        primaries = name(av_color_primaries_name(parameters.color_primaries))
        transfer = name(av_color_transfer_name(parameters.color_trc))
        isHDR = [AVCOL_TRC_SMPTE2084, AVCOL_TRC_ARIB_STD_B67].contains(parameters.color_trc)
    }

    /// What is known, in one line: `tv, bt2020nc/bt2020/smpte2084, HDR`; empty where nothing is.
    public var description: String {
        let three = [matrix, primaries, transfer]
        let colours = three.map { $0 ?? "?" }.joined(separator: "/")
        let parts = [range, three.contains { $0 != nil } ? colours : nil, isHDR ? "HDR" : nil]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}

extension CodecParameters {
    /// The colours of pictures; nil for other kinds.
    public var color: ColorFacts? {
        kind == .video ? ColorFacts(avParameters.pointee) : nil
    }
}

extension StreamInfo {
    /// By how many degrees a picture is turned clockwise when it is shown, 0 to 359; nil where the
    /// container does not say.
    public var rotation: Int? {
        let matrix = sideData.first { $0.type == AV_PKT_DATA_DISPLAYMATRIX.rawValue }
        guard let bytes = matrix?.bytes, bytes.count >= 36 else { return nil }
        let numbers = bytes.withUnsafeBytes { raw in
            (0..<9).map { raw.loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self) }
        }
        let angle = av_display_rotation_get(numbers)
        guard angle.isFinite else { return nil }
        return (360 - (Int(angle.rounded()) % 360 + 360) % 360) % 360
    }

    /// When its first packet is shown or heard; nil where unknown.
    public var startTime: MediaTime? { startTicks.map(timeBase.time(ticks:)) }
}
