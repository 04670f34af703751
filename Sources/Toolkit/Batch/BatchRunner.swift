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
            request.withoutDisabledFilters, registry: registry.forRun(), files: files)
        self.init(request, processor: processor, files: files, time: time)
    }

    package init(
        _ request: BatchRequest, processor: any BatchProcessor, files: any FileSystem,
        time: any TimeSource = SystemTimeSource()
    ) {
        self.request = request.withoutDisabledFilters
        self.processor = processor
        self.files = files
        self.time = time
    }

    /// Says what `run` would do, and touches nothing.
    ///
    /// A file is `skipped` where it is finished, `failed` where it can't be done, and `planned`
    /// where it would be worked on.
    public func plan() throws(MediaError) -> BatchSummary {
        var prepared = try prepare(opensJournal: false)
        let recipe = settledRecipe(prepared)
        let finished = self.finished(&prepared.items, recipe, prepared.contents)
        let results = prepared.items.map { item in
            finished[item.index]
                ?? BatchResult(
                    item, item.problem == nil ? .planned : .failed, error: item.problem)
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
        var prepared = try prepare(opensJournal: true)
        var summary = BatchSummary(results: [], wall: .zero, isCancelled: false)
        onEvent(
            .began(
                files: prepared.items.count + prepared.failures.count,
                bytes: prepared.items.reduce(0) { $0 + $1.input.bytes }))
        for failure in prepared.failures { onEvent(.ended(failure, bytes: 0)) }
        var results: [Int: BatchResult] = [:]
        if let journal = prepared.journal {
            let run = BatchRun(
                request: request, processor: processor, files: files, time: time,
                journal: journal, recipe: prepared.recipe, cancellation: cancellation)
            let outcome: Result<Void, MediaError>
            do throws(MediaError) {
                outcome = .success(try work(run, &prepared, &results, onEvent))
            } catch {
                outcome = .failure(error)
            }
            try? journal.close()
            try outcome.get()
        }
        summary.results =
            prepared.items.compactMap { results[$0.index] } + prepared.failures
        summary.wall = time.now - begin
        // Behind the last file there is nothing to cancel.
        summary.isCancelled =
            cancellation.isCancelled
            && (summary.results.isEmpty || summary.count(.cancelled) > 0)
        if let report = request.report {
            try BatchReport(summary).write(to: report, files: files)
        }
        onEvent(.finished(summary))
        return summary
    }

    /// Settles what files share, leaves out what is finished, and works on the rest.
    private func work(
        _ run: BatchRun, _ prepared: inout Prepared, _ results: inout [Int: BatchResult],
        _ onEvent: (BatchEvent) -> Void
    ) throws(MediaError) {
        var run = run
        // An input that is missing is the first failure.
        let isStopped = request.stopsAtFailure && !prepared.failures.isEmpty
        if isStopped {
            run.recipe = settledRecipe(prepared)
        } else if processor.needsSurvey {
            run.recipe = try run.settle(&prepared.items, prepared.contents, onEvent)
        }
        results = finished(&prepared.items, run.recipe, prepared.contents)
        for item in prepared.items {
            if let skipped = results[item.index] {
                onEvent(.ended(skipped, bytes: item.input.bytes))
            }
        }
        let pending = prepared.items.filter { results[$0.index] == nil }
        if isStopped {
            for item in pending {
                results[item.index] = .notBegun(item)
                onEvent(.ended(.notBegun(item), bytes: item.input.bytes))
            }
            return
        }
        for result in try run.work(on: pending, onEvent: onEvent) {
            results[result.index] = result
        }
    }

    private struct Prepared {
        var items: [BatchItem]
        var failures: [BatchResult]
        var journal: Journal?
        var contents: JournalContents
        var recipe: String
    }

    /// The recipe with what the journal knows of an album's gain; nothing is measured for it.
    private func settledRecipe(_ prepared: Prepared) -> String {
        guard processor.needsSurvey else { return prepared.recipe }
        let group = AlbumGroup(
            prepared.items, recipe: prepared.recipe, prepared.contents,
            isAnew: request.repeatsFinished)
        return group.settled.map { AlbumGroup.recipe(prepared.recipe, $0.plan) }
            ?? prepared.recipe
    }

    private func prepare(opensJournal: Bool) throws(MediaError) -> Prepared {
        let expansion = InputExpansion(
            request.inputs, extensions: request.extensions, files: files)
        expansion.warn("batch")
        let path = journalPath(expansion.inputs)
        var contents = try Journal.peek(path, files: files)
        // What earlier runs made is no input, unless it was named.
        let inputs = expansion.inputs.filter { input in
            guard !input.isNamed,
                let entry = contents.entries[PathKey(PathText.tidied(input.path))],
                !entry.isInPlace
            else { return true }
            return FileStamp(input.facts) != entry.result
        }
        let items = try items(inputs, journal: path)
        var journal: Journal?
        if opensJournal, !items.isEmpty {
            let opened = try openJournal(path)
            contents = opened.contents
            journal = opened
            for temporary in contents.temporaries { try files.remove(temporary) }
        }
        if request.isInPlace { believeOthers(than: path, of: items, &contents) }
        let recipe = Checksum.fnv128(description.description.utf8)
        var prepared = Prepared(
            items: items, failures: [], journal: journal, contents: contents, recipe: recipe)
        for (offset, failure) in expansion.failures.enumerated() {
            prepared.failures.append(
                BatchResult(
                    index: items.count + offset, input: failure.path, output: "", status: .failed,
                    error: failure.error))
        }
        return prepared
    }

    private func items(
        _ inputs: [BatchInput], journal: String
    ) throws(MediaError) -> [BatchItem] {
        var planner = BatchPlanner(files: files)
        let items =
            try request.output.map { template throws(MediaError) in
                try planner.plan(inputs, template)
            } ?? planner.planInPlace(inputs, isForced: request.repeatsFinished)
        if let report = request.report {
            try planner.check(report: report, journal: journal, items)
        }
        return items
    }

    /// Lets the journals of other runs, which named a folder further down or up, say what is a
    /// result already.
    private func believeOthers(
        than own: String, of items: [BatchItem], _ contents: inout JournalContents
    ) {
        var folders: Set<PathKey> = []
        for item in items {
            var folder = PathText.folder(of: item.output)
            while folders.insert(PathKey(folder)).inserted, request.looksAbove, folder != "/" {
                folder = PathText.folder(of: folder)
            }
        }
        for folder in folders.sorted() {
            let path = PathText.join(folder.path, BatchRunner.journalName)
            guard PathKey(path) != PathKey(own) else { continue }
            do {
                contents.believe(try Journal.peek(path, files: files))
            } catch {
                Log.warning("batch", "\(error.message); which files are results by it is not known")
            }
        }
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
            .init("engine", request.isInPlace ? .null : .string(request.engine)),
        ])
    }

    /// The results of items that are finished or to be left alone; items that must not be begun
    /// get their problem.
    private func finished(
        _ items: inout [BatchItem], _ recipe: String, _ contents: JournalContents
    ) -> [Int: BatchResult] {
        var results: [Int: BatchResult] = [:]
        for index in items.indices where items[index].problem == nil {
            let item = items[index]
            do throws(MediaError) {
                results[item.index] =
                    item.isInPlace
                    ? replaced(item, recipe, contents) : try made(item, recipe, contents)
                if results[item.index] == nil { try processor.check(item) }
            } catch {
                items[index].problem = error
            }
        }
        return results
    }

    /// The result of an item that replaces its input, where it is one already or is left alone.
    ///
    /// Never filtered twice: neither when another chain is asked for, nor by another version.
    private func replaced(
        _ item: BatchItem, _ recipe: String, _ contents: JournalContents
    ) -> BatchResult? {
        var result = BatchResult(item, .skipped, note: item.note)
        if item.note != nil { return result }
        guard !request.repeatsFinished,
            let entry = contents.replacement(FileStamp(item.input.facts))
        else { return nil }
        result.details = BatchDetails(entry.row)
        if entry.recipe != recipe {
            result.note =
                "is a result already, of another chain, other settings or an earlier version; "
                + "--force filters it again"
        }
        return result
    }

    /// The result of an item with an output of its own, where that is there as it was recorded.
    private func made(
        _ item: BatchItem, _ recipe: String, _ contents: JournalContents
    ) throws(MediaError) -> BatchResult? {
        guard let facts = try files.facts(of: item.output) else { return nil }
        guard let entry = contents.entries[PathKey(item.output)], FileStamp(facts) == entry.result
        else {
            if request.keepsExisting {
                throw MediaError(
                    .outputExists, "\(item.output.printable) is there and not made by this batch")
            }
            return nil
        }
        guard !request.repeatsFinished, entry.recipe == recipe,
            PathKey(entry.input) == PathKey(item.input.path),
            entry.source == FileStamp(item.input.facts)
        else { return nil }
        return BatchResult(item, .skipped, details: BatchDetails(entry.row))
    }
}
