// Bit rates that encoders take.

internal import MediaModel

extension StreamInfo {
    /// The bit rate at which its own codec keeps at least what it has; 0 where nobody knows.
    ///
    /// Encoders with a table take the next lower rate for one that is not in it.
    ///
    /// - Source: ISO/IEC 11172-3 and 13818-3 (layers II and III), ATSC A/52, table 5.18.
    var leastBitRate: Int {
        guard let rate = parameters.bitRate else { return 0 }
        let kilobits = table(isLow: (parameters.audioFormat?.sampleRate ?? 48_000) < 32_000)
        return kilobits.map { $0 * 1000 }.first { $0 >= rate } ?? rate
    }

    private func table(isLow: Bool) -> [Int] {
        let low = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
        let common = [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
        return switch parameters.codecName {
        case "mp3": isLow ? low : [40] + common
        case "mp2": isLow ? low : common + [384]
        case "ac3": [40] + common + [384, 448, 512, 576, 640]
        default: []
        }
    }
}
