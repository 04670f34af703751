// What became of the files of a batch.

public import Loudness
public import MediaCore

/// What was found out and done about one file.
public struct BatchDetails: Hashable, Sendable {
    /// How long the input lasts; nil where unknown.
    public var duration: MediaTime?
    /// How long the work took.
    public var wall = MediaTime.zero
    /// The loudness of what reaches the normalizer, for a file-mode normalisation.
    public var before: LoudnessMeasurement?
    /// The loudness of the finished output: heard by the meter, or that of the intended samples where
    /// all decoded ones are equal to them.
    public var after: LoudnessMeasurement?
    /// The gain that was applied, in dB.
    public var gain: Double?
    /// Whether peaks were limited.
    public var isLimited = false
    /// The encoder of the sound; nil where it was copied.
    public var encoder: String?
    /// What a user should know though the work was done.
    public var warnings: [String] = []

    /// Knows nothing yet.
    public init() {}
}

/// What became of one file.
public struct BatchResult: Sendable {
    /// The kinds of endings.
    public enum Status: String, CaseIterable, Sendable {
        /// Done in this run.
        case done
        /// Finished by an earlier run and still there, or left alone; see the note.
        case skipped
        /// Not done; see the error.
        case failed
        /// Would be worked on; in plans only.
        case planned
        /// Given up or not begun, because the run was cancelled or stopped.
        case cancelled
    }

    /// The place in the list of inputs, from 0; inputs that can't be found come last.
    public var index: Int
    /// The input.
    public var input: String
    /// The output; empty where there is none.
    public var output: String
    /// Whether the output took the place of the input.
    public var isInPlace = false
    /// How it ended.
    public var status: Status
    /// Why it failed.
    public var error: MediaError?
    /// Why it was left alone, where it was not just finished before; nil otherwise.
    public var note: String?
    /// What was found out and done.
    public var details: BatchDetails

    /// Says how a file ended.
    public init(
        index: Int, input: String, output: String, status: Status, error: MediaError? = nil,
        note: String? = nil, details: BatchDetails = BatchDetails()
    ) {
        self.index = index
        self.input = input
        self.output = output
        self.status = status
        self.error = error
        self.note = note
        self.details = details
    }

    init(
        _ item: BatchItem, _ status: Status, error: MediaError? = nil, note: String? = nil,
        details: BatchDetails = BatchDetails()
    ) {
        self.init(
            index: item.index, input: item.input.path, output: item.output, status: status,
            error: error, note: note, details: details)
        isInPlace = item.isInPlace
    }

    /// The run was stopped before its turn.
    static func notBegun(_ item: BatchItem) -> BatchResult {
        BatchResult(item, .cancelled, error: MediaError(.cancelled, "not begun"))
    }
}

/// What became of a whole batch.
public struct BatchSummary: Sendable {
    /// One result an input, in the order of the inputs.
    public var results: [BatchResult]
    /// How long the run took.
    public var wall: MediaTime
    /// Whether the run was cancelled.
    public var isCancelled: Bool

    /// Sums a run up.
    public init(results: [BatchResult], wall: MediaTime, isCancelled: Bool) {
        self.results = results
        self.wall = wall
        self.isCancelled = isCancelled
    }

    /// How many files ended so.
    public func count(_ status: BatchResult.Status) -> Int {
        results.reduce(0) { $0 + ($1.status == status ? 1 : 0) }
    }

    /// 0 when everything is done, 1 when something failed, 130 when the run was cancelled.
    public var exitStatus: Int32 {
        if isCancelled { return 130 }
        return results.contains { $0.status == .failed || $0.status == .cancelled } ? 1 : 0
    }

    /// One line: `12 done, 3 skipped, 1 failed in 0:00:04.210`.
    public var sentence: String {
        var parts = ["\(count(.done)) done"]
        for status in [BatchResult.Status.planned, .skipped, .failed, .cancelled]
        where count(status) > 0 {
            parts.append("\(count(status)) \(status.rawValue)")
        }
        return parts.joined(separator: ", ") + " in \(wall)"
    }
}

/// What a batch says while it runs, in order.
public enum BatchEvent: Sendable {
    /// The files are known: how many, and of how many bytes.
    case began(files: Int, bytes: Int64)
    /// Work on a file begins.
    case started(index: Int, input: String, output: String)
    /// Work on a file has come to `position` of `duration`; `fraction` is 0…1 over all its passes.
    case progress(index: Int, fraction: Double, position: MediaTime, duration: MediaTime?)
    /// A file has ended; `bytes` is the size of its input.
    case ended(BatchResult, bytes: Int64)
    /// Every file has ended.
    case finished(BatchSummary)
}
