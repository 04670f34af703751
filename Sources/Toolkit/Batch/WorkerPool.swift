// Threads that work through a list while the caller hears of it.

internal import Glibc
internal import MediaCore
internal import Synchronization

/// Hands out items to workers, one after the other, until the end or a stop.
final class ItemQueue<Item: Sendable>: Sendable {
    private let items: [Item]
    private let next = Atomic(0)
    private let isStopped = Atomic(false)

    init(_ items: [Item]) { self.items = items }

    func take() -> Item? {
        guard !isStopped.load(ordering: .relaxed) else { return nil }
        let index = next.add(1, ordering: .relaxed).oldValue
        return index < items.count ? items[index] : nil
    }

    /// Hands out nothing more.
    func stop() { isStopped.store(true, ordering: .relaxed) }
}

/// A number of threads, and a mailbox through which they speak to the thread that waits for them.
struct WorkerPool: Sendable {
    /// What the threads say.
    enum Message: Sendable {
        case event(BatchEvent)
        case workerEnded
    }

    static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
    // Decoders and encoders are called on these threads.
    private static let stackSize = 4 << 20
    // Progress of one file is passed on at most this often.
    private static let progressInterval = MediaTime.milliseconds(100)

    let threadCount: Int
    let cancellation: CancellationToken
    let time: any TimeSource
    private let mailbox = Mailbox<Message>()

    /// As many threads as were wanted (0: one a core), but no more than there are items.
    init(
        jobs: Int, items: Int, cancellation: CancellationToken, time: any TimeSource
    ) {
        threadCount = min(jobs > 0 ? jobs : WorkerPool.cores, items)
        self.cancellation = cancellation
        self.time = time
    }

    /// Passes an event on to the thread that runs the pool.
    func post(_ event: BatchEvent) { mailbox.post(.event(event)) }

    /// Works until the queue is empty or stopped or the run is cancelled; then calls `finally`, and
    /// hands out what was said until its end.
    func run<Item: Sendable>(
        _ queue: ItemQueue<Item>, _ work: @escaping @Sendable (Item) -> Void,
        finally: () -> Void = {}, hear: (BatchEvent) -> Void
    ) {
        let threads = (0..<threadCount).map { number in
            WorkerThread("mk-batch-\(number)", stackSize: WorkerPool.stackSize) {
                while !cancellation.isCancelled, let item = queue.take() { work(item) }
                mailbox.post(.workerEnded)
            }
        }
        var working = threadCount
        while working > 0 {
            for message in mailbox.receive() {
                switch message {
                case .event(let event): hear(event)
                case .workerEnded: working -= 1
                }
            }
        }
        for thread in threads { thread.join() }
        finally()
        for case .event(let event) in mailbox.receive(until: .zero) { hear(event) }
    }

    /// What a processor may know while it works on the file at `index`.
    func context(index: Int, isAlone: Bool) -> ProcessorContext {
        let last = Mutex(MediaTime.zero)
        return ProcessorContext(cancellation: cancellation, isAlone: isAlone) {
            fraction, position, duration in
            let now = time.now
            let isDue = last.withLock { last in
                guard now - last >= WorkerPool.progressInterval else { return false }
                last = now
                return true
            }
            guard isDue else { return }
            post(
                .progress(
                    index: index, fraction: fraction, position: position, duration: duration))
        }
    }
}
