// The threads of one batch at work.

internal import Glibc
internal import MediaCore
internal import MediaModel

/// Workers that make outputs, a publisher that names them, and the caller's thread that hears of it.
struct BatchRun: Sendable {
    let request: BatchRequest
    let processor: any BatchProcessor
    let files: any FileSystem
    let time: any TimeSource
    let journal: Journal
    let recipe: String
    let cancellation: CancellationToken

    private enum Message: Sendable {
        case event(BatchEvent)
        case workerEnded
    }

    // Progress is passed on at most this often a file.
    private static let progressInterval = MediaTime.milliseconds(100)
    private static let stackSize = 4 << 20
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
        let mailbox = Mailbox<Message>()
        let queue = ItemQueue(
            pending.map { item in
                var item = item
                if item.problem == nil { item.problem = unusable[item.index] }
                return item
            })
        let publisher = BatchPublisher(journal: journal, recipe: recipe, files: files) {
            output, error in
            if error != nil, request.stopsAtFailure { queue.stop() }
            mailbox.post(.event(ended(output.item, output.details, error)))
        }
        let worker = BatchWorker(
            processor: processor, journal: journal, files: files,
            temporaryNumbers: TemporaryNumbers())
        let count = threadCount(pending.count)
        let runsAlone = count == 1 && BatchRun.cores > 1
        let threads = (0..<count).map { number in
            WorkerThread("mk-batch-\(number)", stackSize: BatchRun.stackSize) {
                while !cancellation.isCancelled, let item = queue.take() {
                    let isLarge = (item.input.facts?.size ?? .max) >= BatchRun.largeSize
                    process(
                        item, worker, publisher, queue,
                        isAlone: runsAlone && (isLarge || pending.count == 1), mailbox)
                }
                mailbox.post(.workerEnded)
            }
        }
        var results: [BatchResult] = []
        func hear(_ message: Message) {
            guard case .event(let event) = message else { return }
            if case .ended(let result, _) = event { results.append(result) }
            onEvent(event)
        }
        var working = count
        while working > 0 {
            for message in mailbox.receive() {
                if case .workerEnded = message { working -= 1 }
                hear(message)
            }
        }
        for thread in threads { thread.join() }
        publisher.finish()
        for message in mailbox.receive(until: .zero) { hear(message) }
        let heard = Set(results.map(\.index))
        for item in pending where !heard.contains(item.index) {
            hear(.event(ended(item, BatchDetails(), MediaError(.cancelled, "not begun"))))
        }
        return results
    }

    private static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    private func threadCount(_ files: Int) -> Int {
        min(request.jobs > 0 ? request.jobs : BatchRun.cores, files)
    }

    private func process(
        _ item: BatchItem, _ worker: BatchWorker, _ publisher: BatchPublisher,
        _ queue: ItemQueue, isAlone: Bool, _ mailbox: Mailbox<Message>
    ) {
        mailbox.post(
            .event(
                .started(index: item.index, input: item.input.path, output: item.output)))
        let begin = time.now
        do throws(MediaError) {
            var output = try worker.work(
                on: item, context(for: item, isAlone: isAlone, mailbox))
            output.details.wall = time.now - begin
            publisher.submit(output)
        } catch {
            if error.code != .cancelled, request.stopsAtFailure { queue.stop() }
            var details = BatchDetails()
            details.wall = time.now - begin
            mailbox.post(.event(ended(item, details, error)))
        }
    }

    private func context(
        for item: BatchItem, isAlone: Bool, _ mailbox: Mailbox<Message>
    ) -> ProcessorContext {
        let last = Monitor(MediaTime.zero)
        let time = time
        return ProcessorContext(cancellation: cancellation, isAlone: isAlone) {
            fraction, position, duration in
            let now = time.now
            let isDue = last.withLock { last in
                guard now - last >= BatchRun.progressInterval else { return false }
                last = now
                return true
            }
            if isDue {
                mailbox.post(
                    .event(
                        .progress(
                            index: item.index, fraction: fraction, position: position,
                            duration: duration)))
            }
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
                error: error, details: details), bytes: max(0, item.input.facts?.size ?? 0))
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
        let queue = ItemQueue(items)
        let mailbox = Mailbox<Message>()
        let failures = Monitor<[Int: MediaError]>([:])
        let count = threadCount(items.count)
        let threads = (0..<count).map { number in
            WorkerThread("mk-survey-\(number)", stackSize: BatchRun.stackSize) {
                while !cancellation.isCancelled, let item = queue.take() {
                    do throws(MediaError) {
                        if let problem = item.problem { throw problem }
                        try processor.survey(
                            item, context(for: item, isAlone: count == 1, mailbox))
                    } catch {
                        failures.withLock { $0[item.index] = error }
                    }
                }
                mailbox.post(.workerEnded)
            }
        }
        var working = count
        while working > 0 {
            for message in mailbox.receive() {
                switch message {
                case .event(let event): onEvent(event)
                case .workerEnded: working -= 1
                }
            }
        }
        for thread in threads { thread.join() }
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
