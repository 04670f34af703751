// `mediakit measure`: the loudness of files, nothing written.

import Toolkit

struct MeasureCommand: Command {
    let name = "measure"
    let summary = "Measures loudness and true peak by EBU R 128; nothing is written."
    let discussion = """
        FILE is a file, a folder, a quoted pattern, or `-` for a list on standard input, one path a
        line. A normalizer in the chain works live here, as while playing; what a batch makes of a
        file is in the batch's report.

        Example: mediakit measure album/*.flac --album --json
        """
    let operands = Operands(usage: "FILE…", least: 1, most: nil)
    let options = MeasureRequest.options + [CommonOptions.json, ProgressStyle.option]

    func run(_ line: ParsedLine) throws(MediaError) -> Int32 {
        let registry = try line.plugins().registry
        let inputs = try InputList.expand(line.operands, isNull: false)
        let request = try MeasureRequest(
            inputs: inputs, options: line.options, registry: registry)
        let style = line.options.string("progress").flatMap(ProgressStyle.init(rawValue:)) ?? .auto
        // The figures are the lines of this verb; without a terminal only failures are news.
        let display = (style == .auto && !Terminal.canRedraw ? .none : style).makeDisplay()
        var summary = try Interrupts.watching { (token) throws(MediaError) in
            MeasureRunner(request, registry: registry).run(cancellation: token) { display.show($0) }
        }
        if !line.options.bool("album") { summary.album = nil }
        try line.options.bool("json")
            ? Terminal.write(summary.json) : Terminal.write(LoudnessTable.text(for: summary))
        return summary.exitStatus
    }
}

/// Loudness figures in columns.
private enum LoudnessTable {
    private static let heading = "    I LUFS    LRA LU   TP dBTP  file\n"

    static func text(for summary: MeasureSummary) -> String {
        var rows = summary.files.compactMap { file in
            (try? file.figures.get()).map { row($0, file.input.printable) }
        }
        if let album = summary.album { rows.append(row(album, "(all together)")) }
        return rows.isEmpty ? "" : heading + rows.joined()
    }

    private static func row(_ figures: LoudnessFigures, _ title: String) -> String {
        let measurement = figures.measurement
        let columns = [measurement.integrated, measurement.range, measurement.truePeak].map {
            number in
            let text = ProgressText.decibels(number)
            return String(repeating: " ", count: max(0, 10 - text.count)) + text
        }
        return columns.joined() + "  \(title)\n"
    }
}
