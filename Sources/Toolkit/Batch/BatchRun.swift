// The threads of one batch at work.

internal import MediaCore

/// Workers that make outputs, a publisher that names them, and the caller's thread that hears of it.
struct BatchRun: Sendable {
    let request: BatchRequest
    let processor: any BatchProcessor
    let files: any FileSystem
    let time: any TimeSource
    let journal: Journal
    /// What decides about the bytes; with the shared plan, where files share one.
    var recipe: String
    let cancellation: CancellationToken

    // From here on a file alone at work is worth threads for its parts, in bytes.
    private static let largeSize = 1 << 20

    /// Works on what is not finished.
    func work(
        on pending: [BatchItem], onEvent: (BatchEvent) -> Void
    ) throws(MediaError) -> [BatchResult] {
        guard !pending.isEmpty else { return [] }
        try journal.append([.run(recipe: recipe, description: processor.recipe)], isSynced: false)
        let queue = ItemQueue(pending)
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
            hear(.ended(.notBegun(item), bytes: item.input.bytes))
        }
        return results
    }

    func makePool(_ items: Int) -> WorkerPool {
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
            BatchResult(item, status, error: error, details: details), bytes: item.input.bytes)
    }
}
