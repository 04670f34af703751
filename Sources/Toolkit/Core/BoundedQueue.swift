// A blocking first-in first-out queue with a cost limit that drops what is stale.

/// Joins two stages: the producer waits while the queue is full, the consumer while it is empty.
///
/// The limit is a sum of costs (bytes, nanoseconds of media, or 1 an element). An element is taken
/// in whenever the queue is below its limit, so one element larger than the limit still passes. Each
/// costs at least 1 and at most the limit, whatever a medium says of it.
/// Each element carries an epoch; `advance(to:)` throws away everything older, and later pushes of
/// an older epoch vanish silently. A side that waits is not woken for each element: the producer
/// when the queue is half empty, the consumer when `wakeLevel` is reached, so that threads do not
/// take turns element by element. `finish()` lets the consumer drain and then see the end;
/// `close()` wakes both sides at once and gives the consumer nothing more.
///
/// Thread-safety: safe.
public final class BoundedQueue<Element: Sendable>: Sendable {
    /// What a consumer gets.
    public enum Item: Sendable {
        /// The oldest element, and its epoch.
        case element(Element, Epoch)
        /// The producer of this epoch is done and everything was taken.
        case finished(Epoch)
        /// The queue was closed.
        case closed
    }

    private struct State {
        var elements: [(element: Element, epoch: Epoch, cost: Int)] = []
        var head = 0
        var total = 0
        var epoch = Epoch()
        var finished = false
        var closed = false

        var isEmpty: Bool { head == elements.count }

        mutating func popFirst() -> (element: Element, epoch: Epoch, cost: Int) {
            let first = elements[head]
            head += 1
            total -= first.cost
            if head == elements.count {
                elements.removeAll(keepingCapacity: true)
                head = 0
            } else if head >= 64, head * 2 >= elements.count {
                elements.removeFirst(head)
                head = 0
            }
            return first
        }
    }

    private let limit: Int
    private let wakeLevel: Int
    private let cost: @Sendable (Element) -> Int
    private let state = Monitor(State())

    /// Makes a queue that holds elements up to a total cost of `limit`.
    ///
    /// - Parameter wakeLevel: the cost at which a waiting consumer is woken; 1 for at once. At most
    ///   `limit`.
    public init(
        limit: Int, wakeLevel: Int = 1, cost: @escaping @Sendable (Element) -> Int = { _ in 1 }
    ) {
        self.limit = limit
        self.wakeLevel = min(wakeLevel, limit)
        self.cost = cost
    }

    /// Waits for room and appends; false when the queue is closed and the producer should stop.
    public func push(_ element: Element, epoch: Epoch = Epoch()) -> Bool {
        push(element, epoch: epoch, within: 1, until: nil) ?? false
    }

    /// Appends as the other `push` does, with room for `factor` times the limit; nil where there was
    /// none until `deadline`.
    public func push(
        _ element: Element, epoch: Epoch, within factor: Int, until deadline: MediaTime?
    ) -> Bool? {
        let cost = max(1, min(cost(element), limit))
        return state.wait(until: deadline) { state, wakes -> Bool? in
            if state.closed { return false }
            if epoch < state.epoch { return true }
            guard state.isEmpty || state.total < limit * factor else { return nil }
            state.elements.append((element, epoch, cost))
            state.total += cost
            wakes = state.total >= wakeLevel
            return true
        }
    }

    /// Says that no more elements of the present epoch follow.
    public func finish(epoch: Epoch = Epoch()) {
        state.withLock { state in
            if epoch >= state.epoch { state.finished = true }
        }
    }

    /// Waits for an element, the end, or the close; nil at `deadline`.
    ///
    /// - Parameter ended: an epoch whose end the consumer knows, so that it waits for a later one.
    public func pop(until deadline: MediaTime? = nil, knowingEndOf ended: Epoch? = nil) -> Item? {
        state.wait(until: deadline) { state, wakes -> Item? in
            if state.closed { return .closed }
            if !state.isEmpty {
                let first = state.popFirst()
                wakes = state.isEmpty || state.total <= limit / 2
                return .element(first.element, first.epoch)
            }
            return state.finished && state.epoch != ended ? .finished(state.epoch) : nil
        }
    }

    /// Drops everything older than `epoch` and opens the queue for it.
    public func advance(to epoch: Epoch) {
        state.withLock { state in
            guard epoch > state.epoch else { return }
            state.epoch = epoch
            state.finished = false
            let kept = state.elements[state.head...].filter { $0.epoch >= epoch }
            state.elements = kept
            state.head = 0
            state.total = kept.reduce(0) { $0 + $1.cost }
        }
    }

    /// Wakes both sides, though neither has as much as it waits for.
    package func wake() { state.withLock { _ in } }

    /// Ends both sides at once.
    public func close() {
        state.withLock { state in
            state.closed = true
            state.elements = []
            state.head = 0
            state.total = 0
        }
    }

    /// The cost of what is held.
    public var fill: Int { state.withLock { $0.total } }
}
