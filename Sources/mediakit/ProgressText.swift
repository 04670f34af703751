// The words and lines of progress.

import Toolkit

enum ProgressText {
    /// `[#####.....]  52 %  13/25 files, 1 failed, 0:12 left`.
    static func bar(_ tally: ProgressTally, elapsed: MediaTime, columns: Int) -> String {
        let percent = Int(tally.fraction * 100)
        var words = " \(HelpPage.padded("", 3 - "\(percent)".count))\(percent) %"
        words += "  \(tally.ended)/\(tally.files) files"
        if tally.failed > 0 { words += ", \(tally.failed) failed" }
        if let remaining = tally.remaining(after: elapsed) {
            words += ", \(clock(remaining)) left"
        }
        let width = min(40, columns - words.count - 2)
        guard width >= 5 else { return String(words.dropFirst().prefix(max(0, columns))) }
        let filled = Int(tally.fraction * Double(width))
        return "[" + String(repeating: "#", count: filled)
            + String(repeating: ".", count: width - filled) + "]" + words
    }

    /// What became of a file.
    static func ending(_ result: BatchResult) -> String {
        let input = result.input.printable
        switch result.status {
        case .done:
            let details = loudness(result.details).map { " (\($0))" } ?? ""
            if result.isInPlace { return "\(input): replaced\(details)" }
            return result.output.isEmpty
                ? "\(input)\(details)" : "\(input) -> \(result.output.printable)\(details)"
        case .planned:
            return result.isInPlace
                ? "\(input): planned, to be replaced"
                : "\(input) -> \(result.output.printable): planned"
        case .skipped: return "\(input): \(result.note == nil ? "finished before" : "left alone")"
        case .failed: return failure(result) ?? input
        case .cancelled: return "\(input): not done"
        }
    }

    /// Why a file failed; nil where it did not.
    static func failure(_ result: BatchResult) -> String? {
        guard result.status == .failed, let error = result.error else { return nil }
        let input = result.input.printable
        return error.message.contains(input)
            ? "failed: \(error.message)" : "failed: \(input): \(error.message)"
    }

    /// What a user should know of a file that was done or left alone.
    static func warnings(_ result: BatchResult) -> [String] {
        let notes =
            result.status == .done ? result.details.warnings : [result.note].compactMap(\.self)
        return notes.map { "warning: \(result.input.printable): \($0)" }
    }

    /// What must be said even where no progress is shown.
    static func notes(_ result: BatchResult) -> [String] {
        [failure(result)].compactMap(\.self) + warnings(result)
    }

    /// `-23.1 -> -16.0 LUFS, peak -1.0 dBTP, limited`; nil where nothing was measured.
    private static func loudness(_ details: BatchDetails) -> String? {
        guard let before = details.before, let after = details.after else { return nil }
        return "\(decibels(before.integrated)) -> \(decibels(after.integrated)) LUFS, "
            + "peak \(decibels(after.truePeak)) dBTP" + (details.isLimited ? ", limited" : "")
    }

    /// One decimal; `-inf` for silence.
    static func decibels(_ value: Double?) -> String {
        guard let value, value.isFinite else { return "-inf" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }

    /// `1:02:03`, `2:03`.
    private static func clock(_ time: MediaTime) -> String {
        let seconds = max(0, Int(time.seconds.rounded(.up)))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let minutes = "\(seconds / 60 % 60):\(two(seconds % 60))"
        return seconds < 3600
            ? minutes : "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }
}

extension BatchEvent {
    /// The event for programs; times in seconds.
    var json: JSON {
        switch self {
        case .began(let files, let bytes):
            .object([
                .init("event", .string("began")), .init("files", .int(Int64(files))),
                .init("bytes", .int(bytes)),
            ])
        case .started(let index, let input, let output):
            .object([
                .init("event", .string("started")), .init("index", .int(Int64(index))),
                .init("input", .string(input)), .init("output", .string(output)),
            ])
        case .progress(let index, let fraction, let position, let duration):
            .object([
                .init("event", .string("progress")), .init("index", .int(Int64(index))),
                .init("fraction", .double(fraction)), .init("position", .double(position.seconds)),
                .init("duration", duration.map { .double($0.seconds) } ?? .null),
            ])
        case .ended(let result, _):
            .object([
                .init("event", .string("ended")), .init("index", .int(Int64(result.index))),
                .init("result", BatchReport.row(result)),
            ])
        case .finished(let summary):
            .object([
                .init("event", .string("finished")),
                .init("exit_status", .int(Int64(summary.exitStatus))),
                .init("wall", .double(summary.wall.seconds)),
                .init(
                    "counts",
                    .object(
                        BatchResult.Status.allCases.map {
                            .init($0.rawValue, .int(Int64(summary.count($0))))
                        })),
            ])
        }
    }
}
