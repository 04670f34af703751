// The threads of one batch at work.

internal import MediaCore

/// Workers that make outputs, a publisher that names them, and the caller's thread that hears of it.
struct BatchRun: Sendable {
    let request: BatchRequest
    let processor: any BatchProcessor
    let files: any FileSystem
    let time: any TimeSource
    let journal: Journal
    let recipe: String
    let cancellation: CancellationToken

    // From here on a file alone at work is worth threads for its parts, in bytes.
    private static let largeSize = 1 << 20

    /// Works on `pending`; `all` are the files of the batch, finished ones too.
    func work(
        on pending: [BatchItem], of all: [BatchItem], onEvent: (BatchEvent) -> Void
    ) throws(MediaError) -> [BatchResult] {
        guard !pending.isEmpty else { return [] }
        try journal.append([.run(recipe: recipe, description: processor.recipe)], isSynced: false)
        var unusable: [Int: MediaError] = [:]
        if processor.needsSurvey { unusable = try survey(all, onEvent) }
        let queue = ItemQueue(
            pending.map { item in
                var item = item
                if item.problem == nil { item.problem = unusable[item.index] }
                return item
            })
        let pool = makePool(pending.count)
        let publisher = BatchPublisher(journal: journal, recipe: recipe, files: files) {
            output, error in
            if error != nil, request.stopsAtFailure { queue.stop() }
            pool.post(ended(output.item, output.details, error))
        }
        let worker = BatchWorker(
            processor: processor, journal: journal, files: files,
            temporaryNumbers: TemporaryNumbers())
        let isOnlyFile = pending.count == 1
        var results: [BatchResult] = []
        var heard: Set<Int> = []
        func hear(_ event: BatchEvent) {
            if case .ended(let result, _) = event {
                results.append(result)
                heard.insert(result.index)
            }
            onEvent(event)
        }
        pool.run(
            queue,
            { item in
                let isLarge = (item.input.facts?.size ?? .max) >= BatchRun.largeSize
                let isAlone =
                    pool.threadCount == 1 && WorkerPool.cores > 1 && (isLarge || isOnlyFile)
                let context = pool.context(index: item.index, isAlone: isAlone)
                process(item, worker, publisher, queue, pool, context)
            }, finally: publisher.finish, hear: hear)
        for item in pending where !heard.contains(item.index) {
            hear(ended(item, BatchDetails(), MediaError(.cancelled, "not begun")))
        }
        return results
    }

    private func makePool(_ items: Int) -> WorkerPool {
        WorkerPool(jobs: request.jobs, items: items, cancellation: cancellation, time: time)
    }

    private func process(
        _ item: BatchItem, _ worker: BatchWorker, _ publisher: BatchPublisher,
        _ queue: ItemQueue<BatchItem>, _ pool: WorkerPool, _ context: ProcessorContext
    ) {
        pool.post(.started(index: item.index, input: item.input.path, output: item.output))
        let begin = time.now
        do throws(MediaError) {
            var output = try worker.work(on: item, context)
            output.details.wall = time.now - begin
            publisher.submit(output)
        } catch {
            if error.code != .cancelled, request.stopsAtFailure { queue.stop() }
            var details = BatchDetails()
            details.wall = time.now - begin
            pool.post(ended(item, details, error))
        }
    }

    private func ended(
        _ item: BatchItem, _ details: BatchDetails, _ error: MediaError?
    ) -> BatchEvent {
        let status: BatchResult.Status =
            switch error?.code {
            case nil: .done
            case .cancelled?: .cancelled
            default: .failed
            }
        return .ended(
            BatchResult(
                index: item.index, input: item.input.path, output: item.output, status: status,
                error: error, details: details), bytes: item.input.bytes)
    }
}

extension BatchRun {
    /// Lets the processor see all files, or restores what an earlier run settled.
    ///
    /// Gives the files that can't be used.
    private func survey(
        _ items: [BatchItem], _ onEvent: (BatchEvent) -> Void
    ) throws(MediaError) -> [Int: MediaError] {
        let key = Checksum.fnv128(albumKey(items).utf8)
        if let album = journal.contents.albums[key], processor.restore(album.plan) { return [:] }
        let failures = Monitor<[Int: MediaError]>([:])
        let pool = makePool(items.count)
        let isAlone = pool.threadCount == 1 && WorkerPool.cores > 1
        pool.run(
            ItemQueue(items),
            { item in
                do throws(MediaError) {
                    if let problem = item.problem { throw problem }
                    try processor.survey(item, pool.context(index: item.index, isAlone: isAlone))
                } catch {
                    failures.withLock { $0[item.index] = error }
                }
            }, hear: onEvent)
        guard !cancellation.isCancelled else { return [:] }
        let unusable = failures.withLock { $0 }
        let usable = items.filter { unusable[$0.index] == nil }
        let quiet = ProcessorContext(
            cancellation: cancellation, isAlone: true, progress: { _, _, _ in })
        let plan = try processor.settle(usable, quiet)
        try journal.append([.album(JournalAlbum(key: key, plan: plan))], isSynced: true)
        return unusable
    }

    /// Recipe and inputs as they were before any of them was replaced.
    private func albumKey(_ items: [BatchItem]) -> String {
        items.reduce(into: recipe) { key, item in
            var source = FileStamp(item.input.facts)
            if item.isInPlace, let entry = journal.contents.entries[item.output],
                entry.recipe == recipe, entry.result == source
            {
                source = entry.source
            }
            key += "\n\(item.input.path)\n\(source.size) \(source.modified)"
        }
    }
}
