// `mediakit batch`: one chain over many files, restartable.

import Toolkit

struct BatchCommand: Command {
    let name = "batch"
    let summary =
        "Runs a filter chain over many files; the same command finishes what was broken off."
    let discussion = """
        INPUT is a file, a folder (with all media files below it), a quoted pattern like
        "rec/*.wav", or `-` for a list on standard input, one path a line (--null: separated by zero
        bytes). Outputs appear whole or not at all. A journal beside them remembers what is
        finished: after an interruption of any kind the same command does the rest.

        TEMPLATE names the outputs: {name} is the input's file name, {stem} what is before its last
        dot, {ext} what is behind it, {dir} its folder, {rel} the folders between it and the folder
        that was named as INPUT, {index} its place in the list ({index:4}: four digits). `out/` is
        short for out/{name}. docs/batch.md tells the rest.

        A folder that is named may be a link; links to folders below it are not entered. With
        --in-place a file keeps its container, streams, chapters, owner and mode, and is left as it
        is where that can't be: damaged files, files with several names (hard links), links that
        lead out of the folder. What is a result already is not filtered again. --force replaces
        all the same.

        Examples:
          mediakit batch talks/ --filter "normalizer=target=-16:true_peak=-1" \\
              --output "out/{stem}.flac" --jobs 2 --report report.json
          mediakit batch "*.wav" --filter "volume=-3dB,alimiter" --output "out/{stem}.flac"
        """
    let operands = Operands(usage: "INPUT…", least: 1, most: nil)
    let options =
        BatchRequest.options + [
            OptionSpec(
                "null", .bool, default: .bool(false),
                "Paths on standard input are separated by zero bytes."),
            ProgressStyle.option,
            OptionSpec(
                "json", .bool, default: .bool(false),
                "Prints the report as JSON on standard output."),
        ]

    func run(_ line: ParsedLine) throws(MediaError) -> Int32 {
        let registry = try line.plugins().registry
        let inputs = try InputList.expand(line.operands, isNull: line.options.bool("null"))
        var request = try BatchRequest(
            inputs: inputs, options: line.options, registry: registry)
        request.looksAbove = true
        let runner = try BatchRunner(request, registry: registry)
        if line.options.bool("dry_run") { return try show(runner.plan(), line) }
        let style = line.options.string("progress").flatMap(ProgressStyle.init(rawValue:)) ?? .auto
        let display = style.makeDisplay()
        let summary = try Interrupts.watching { (token) throws(MediaError) in
            try runner.run(cancellation: token) { display.show($0) }
        }
        if line.options.bool("json") {
            try Terminal.write(BatchReport(summary).json)
        } else if style != .json {
            Terminal.writeError(summary.sentence + "\n")
        }
        return summary.exitStatus
    }

    /// The plan of a dry run: what would become of each input.
    private func show(_ plan: BatchSummary, _ line: ParsedLine) throws(MediaError) -> Int32 {
        if line.options.bool("json") {
            try Terminal.write(BatchReport(plan).json)
        } else {
            for result in plan.results { try Terminal.write(ProgressText.ending(result) + "\n") }
        }
        return plan.exitStatus
    }
}

/// Paths from the command line and from standard input.
enum InputList {
    static func expand(_ operands: [String], isNull: Bool) throws(MediaError) -> [String] {
        var inputs: [String] = []
        for operand in operands {
            inputs += operand == "-" ? try standardInput(separator: isNull ? 0 : 10) : [operand]
        }
        return inputs
    }

    private static func standardInput(separator: UInt8) throws(MediaError) -> [String] {
        try Interrupts.watching { (token) throws(MediaError) in
            try StandardInput.readAll(token)
        }.split(separator: separator).map { String(osBytes: $0) }
    }
}
