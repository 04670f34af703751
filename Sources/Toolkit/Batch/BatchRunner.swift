// The whole of a batch: inputs, plan, journal, workers, results.

public import MediaCore
public import MediaModel

/// Runs one chain over many files, restartably.
///
/// Each output is written beside its final name, brought to the disk and only then named; a journal
/// remembers what is finished. Killed at any moment, the same request finishes the rest, and the
/// outputs are the same bytes as without the kill, whatever the number of jobs. One bad file never
/// stops the rest.
///
/// - Threading: `run` blocks; it hands out events on the thread that called it, in order.
public struct BatchRunner: Sendable {
    private let request: BatchRequest
    private let processor: any BatchProcessor
    private let files: any FileSystem
    private let time: any TimeSource

    /// The name of the journal where none is given.
    public static let journalName = ".mediakit-journal.jsonl"

    /// Prepares; nothing is touched yet.
    ///
    /// - Throws: `bad-argument` for a wrong chain, `not-licensed` where a filter of it is.
    public init(
        _ request: BatchRequest, registry: PluginRegistry,
        files: any FileSystem = SystemFileSystem(), time: any TimeSource = SystemTimeSource()
    ) throws(MediaError) {
        let processor = try MediaProcessor.make(
            request, registry: registry.forRun(), files: files)
        self.init(request, processor: processor, files: files, time: time)
    }

    package init(
        _ request: BatchRequest, processor: any BatchProcessor, files: any FileSystem,
        time: any TimeSource = SystemTimeSource()
    ) {
        self.request = request
        self.processor = processor
        self.files = files
        self.time = time
    }

    /// Says what `run` would do, and touches nothing.
    ///
    /// A file is `skipped` where it is finished, `failed` where it can't be done, and `done` where
    /// it would be worked on.
    public func plan() throws(MediaError) -> BatchSummary {
        let prepared = try prepare(opensJournal: false)
        let results = prepared.items.map { item in
            prepared.finished[item.index]
                ?? BatchResult(
                    index: item.index, input: item.input.path, output: item.output,
                    status: item.problem == nil ? .done : .failed, error: item.problem)
        }
        return BatchSummary(
            results: results + prepared.failures, wall: .zero, isCancelled: false)
    }

    /// Works through all files.
    ///
    /// - Throws: `bad-argument` or `output-exists` for a request that would destroy something,
    ///   `invalid-state` where another run has the journal, and what the file system reports of
    ///   journal and report. What goes wrong with one file is in its result.
    public func run(
        cancellation: CancellationToken = CancellationToken(),
        onEvent: (BatchEvent) -> Void = { _ in }
    ) throws(MediaError) -> BatchSummary {
        let begin = time.now
        let prepared = try prepare(opensJournal: true)
        var summary = BatchSummary(results: [], wall: .zero, isCancelled: false)
        onEvent(
            .began(
                files: prepared.items.count + prepared.failures.count,
                bytes: prepared.items.reduce(0) { $0 + $1.input.bytes }))
        for failure in prepared.failures { onEvent(.ended(failure, bytes: 0)) }
        var results = prepared.finished
        for item in prepared.items {
            if let skipped = results[item.index] {
                onEvent(.ended(skipped, bytes: item.input.bytes))
            }
        }
        if let journal = prepared.journal {
            let run = BatchRun(
                request: request, processor: processor, files: files, time: time,
                journal: journal, recipe: prepared.recipe, cancellation: cancellation)
            let pending = prepared.items.filter { results[$0.index] == nil }
            let outcome: Result<[BatchResult], MediaError>
            do throws(MediaError) {
                outcome = .success(
                    try run.work(on: pending, of: prepared.items, onEvent: onEvent))
            } catch {
                outcome = .failure(error)
            }
            try? journal.close()
            for result in try outcome.get() { results[result.index] = result }
        }
        summary.results =
            prepared.items.compactMap { results[$0.index] } + prepared.failures
        summary.wall = time.now - begin
        summary.isCancelled = cancellation.isCancelled
        if let report = request.report {
            try BatchReport(summary).write(to: report, files: files)
        }
        onEvent(.finished(summary))
        return summary
    }

    private struct Prepared {
        var items: [BatchItem]
        var failures: [BatchResult]
        var finished: [Int: BatchResult] = [:]
        var journal: Journal?
        var recipe: String
    }

    private func prepare(opensJournal: Bool) throws(MediaError) -> Prepared {
        let expansion = InputExpansion(
            request.inputs, extensions: request.extensions, files: files)
        let path = journalPath(expansion.inputs)
        var contents = try Journal.peek(path, files: files)
        // What earlier runs made is no input, unless it was named.
        let made = Set(contents.entries.values.filter { !$0.isInPlace }.map(\.output))
        let inputs = expansion.inputs.filter { input in
            guard !input.isNamed, made.contains(PathText.tidied(input.path)),
                let entry = contents.entries[PathText.tidied(input.path)]
            else { return true }
            return FileStamp(input.facts) != entry.result
        }
        let items = try items(inputs)
        var journal: Journal?
        if opensJournal, !items.isEmpty {
            let opened = try openJournal(path)
            contents = opened.contents
            journal = opened
            for temporary in contents.temporaries { try files.remove(temporary) }
        }
        let recipe = Checksum.fnv128(description.description.utf8)
        var prepared = Prepared(items: items, failures: [], journal: journal, recipe: recipe)
        for (offset, failure) in expansion.failures.enumerated() {
            prepared.failures.append(
                BatchResult(
                    index: items.count + offset, input: failure.path, output: "", status: .failed,
                    error: failure.error))
        }
        for index in prepared.items.indices { look(at: index, &prepared, contents) }
        return prepared
    }

    private func items(_ inputs: [BatchInput]) throws(MediaError) -> [BatchItem] {
        var planner = BatchPlanner(files: files)
        let items =
            try request.output.map { template throws(MediaError) in
                try planner.plan(inputs, template)
            } ?? planner.planInPlace(inputs)
        if let report = request.report { try planner.check(report: report, items) }
        return items
    }

    private func openJournal(_ path: String) throws(MediaError) -> Journal {
        do throws(MediaError) {
            let folder = PathText.folder(of: path)
            if !folder.isEmpty { try files.makeFolder(folder) }
            return try Journal.open(path, files: files)
        } catch {
            guard request.journal == nil, error.code == .outputFailed else { throw error }
            throw MediaError(
                error.code, "\(error.message); the journal can be elsewhere (--journal FILE)",
                underlying: error.underlying)
        }
    }

    private func journalPath(_ inputs: [BatchInput]) -> String {
        if let path = request.journal { return path }
        let folder =
            request.output?.fixedFolder
            ?? PathText.commonFolder(
                inputs.map { input in
                    request.output?.path(for: input, index: 1) ?? input.path
                })
        return PathText.join(folder, BatchRunner.journalName)
    }

    /// What decides about the bytes of outputs, apart from the inputs.
    private var description: JSON {
        .object([
            .init("chain", .string(request.chain.description)), .init("how", processor.recipe),
            .init("engine", .string(request.engine)),
        ])
    }

    /// Notes whether an item is finished already, or must not be begun.
    private func look(at index: Int, _ prepared: inout Prepared, _ contents: JournalContents) {
        let item = prepared.items[index]
        guard item.problem == nil else { return }
        let entry = contents.entries[item.output]
        var facts: FileFacts?
        do throws(MediaError) {
            facts = item.isInPlace ? item.input.facts : try files.facts(of: item.output)
        } catch {
            prepared.items[index].problem = error
            return
        }
        if let entry, facts != nil, FileStamp(facts) == entry.result {
            let isSameSource =
                item.isInPlace
                || (entry.input == item.input.path && entry.source == FileStamp(item.input.facts))
            if !request.repeatsFinished, isSameSource, entry.recipe == prepared.recipe {
                prepared.finished[item.index] = BatchResult(
                    index: item.index, input: item.input.path, output: item.output,
                    status: .skipped, details: BatchDetails(entry.row))
            }
        } else if facts != nil, !item.isInPlace, request.keepsExisting {
            prepared.items[index].problem = MediaError(
                .outputExists, "\(item.output.printable) is there and not made by this batch")
        }
    }
}
