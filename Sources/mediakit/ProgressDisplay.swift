// How far a batch has come: a bar on a terminal, plain lines elsewhere, JSON for programs.

import Toolkit

/// Shows the events of a batch on standard error.
protocol ProgressDisplay: AnyObject {
    func show(_ event: BatchEvent)
}

/// The ways to show progress.
enum ProgressStyle: String, CaseIterable {
    case auto
    case bar
    case plain
    case json
    case none

    static let option = OptionSpec(
        "progress", .choice(allCases.map(\.rawValue)), default: .string("auto"),
        "How progress is shown on standard error: a bar on a terminal and plain lines elsewhere, "
            + "or JSON lines for programs.")

    func makeDisplay() -> any ProgressDisplay {
        switch self {
        case .auto: Terminal.canRedraw ? ProgressBar() : ProgressLines()
        case .bar: ProgressBar()
        case .plain: ProgressLines()
        case .json: ProgressJSON()
        case .none: ProgressFailures()
        }
    }
}

/// Only what failed, and what a user should know.
final class ProgressFailures: ProgressDisplay {
    func show(_ event: BatchEvent) {
        if case .ended(let result, _) = event {
            for line in ProgressText.notes(result) { Terminal.writeError(line + "\n") }
        }
    }
}

/// A line for each file that ended.
final class ProgressLines: ProgressDisplay {
    private var tally = ProgressTally()

    func show(_ event: BatchEvent) {
        tally.count(event)
        guard case .ended(let result, _) = event else { return }
        let place = "[\(tally.ended)/\(tally.files)] "
        Terminal.writeError(place + ProgressText.ending(result) + "\n")
        for line in ProgressText.warnings(result) { Terminal.writeError(line + "\n") }
    }
}

/// One JSON object a line.
final class ProgressJSON: ProgressDisplay {
    func show(_ event: BatchEvent) { Terminal.writeError(event.json.description + "\n") }
}

/// One line that is drawn again, with an estimate of what is left.
final class ProgressBar: ProgressDisplay {
    private var tally = ProgressTally()
    private let clock = SystemTimeSource()
    private let begin: MediaTime
    private var drawn = MediaTime.zero

    private static let clearLine = "\r\u{1B}[K"

    init() { begin = clock.now }

    func show(_ event: BatchEvent) {
        tally.count(event)
        switch event {
        case .ended(let result, _):
            for line in ProgressText.notes(result) { ProgressBar.writeAbove(line) }
            draw()
        case .began:
            Log.setSink { _, category, message in
                ProgressBar.writeAbove("\(category): \(message)")
            }
            draw()
        case .finished:
            Log.setSink(nil)
            Terminal.writeError(ProgressBar.clearLine)
        default: draw()
        }
    }

    /// Writes a line where the bar is; the bar is drawn again below it.
    private static func writeAbove(_ line: String) {
        Terminal.writeError("\(clearLine)\(line)\n")
    }

    private func draw() {
        let now = clock.now
        guard now - drawn >= .milliseconds(50) || tally.ended == tally.files else { return }
        drawn = now
        let line = ProgressText.bar(tally, elapsed: now - begin, columns: Terminal.columns - 1)
        Terminal.writeError("\r\(line)\u{1B}[K")
    }
}

/// What a batch's events add up to.
struct ProgressTally {
    var files = 0
    var ended = 0
    var failed = 0
    /// Bytes of all inputs, of those that ended, and of those that were skipped.
    var bytes: Int64 = 0
    var endedBytes: Int64 = 0
    var skippedBytes: Int64 = 0
    /// How far each file at work is.
    var fractions: [Int: Double] = [:]

    mutating func count(_ event: BatchEvent) {
        switch event {
        case .began(let files, let bytes):
            self.files = files
            self.bytes = bytes
        case .started(let index, _, _): fractions[index] = 0
        case .progress(let index, let fraction, _, _): fractions[index] = fraction
        case .ended(let result, let bytes):
            fractions[result.index] = nil
            ended += 1
            endedBytes += bytes
            if result.status == .skipped { skippedBytes += bytes }
            if result.status == .failed { failed += 1 }
        case .finished: break
        }
    }

    /// The share of the work that is done, 0…1: by bytes, files at work counted by their fraction.
    var fraction: Double {
        guard files > 0 else { return 0 }
        guard bytes > 0 else { return Double(ended) / Double(files) }
        let mean = Double(bytes) / Double(files)
        let working = fractions.values.reduce(0) { $0 + $1 * mean }
        return min(1, (Double(endedBytes) + working) / Double(bytes))
    }

    /// How long the rest takes at the pace so far; nil while too little is done to say.
    func remaining(after elapsed: MediaTime) -> MediaTime? {
        let skipped = bytes > 0 ? Double(skippedBytes) / Double(bytes) : 0
        let done = fraction - skipped
        guard done > 0.01, elapsed.seconds > 0.5 else { return nil }
        return MediaTime(seconds: elapsed.seconds * (1 - fraction) / done)
    }
}
