// Ordered events for any number of listeners, without ever blocking the poster.

/// Hands each posted event to every subscriber, in the order of posting.
///
/// Subscribers run on the poster's thread and must only pass the event on (into a `Mailbox`, a
/// stream). Thread-safety: safe; posts are serialised by the owner posting from one thread.
public final class EventBus<Event: Sendable>: Sendable {
    private struct Subscriber {
        var id: Int
        var receive: @Sendable (Event) -> Void
        var end: (@Sendable () -> Void)?
    }

    private struct State {
        var next = 0
        var isClosed = false
        var subscribers: [Subscriber] = []
    }

    /// Ends a subscription.
    public struct Subscription: Sendable {
        fileprivate let bus: EventBus
        fileprivate let id: Int

        /// Begins no more calls; one that has begun on another thread may still be under way.
        public func cancel() {
            // Let go outside the lock: the subscriber may hold the last reference to anything.
            let gone = bus.state.withLock { state in
                let gone = state.subscribers.filter { $0.id == id }
                state.subscribers.removeAll { $0.id == id }
                return gone
            }
            _ = gone
        }
    }

    private let state = Monitor(State())

    /// Makes a bus without subscribers.
    public init() {}

    /// Receives every later event until cancelled, or until the poster has ended.
    public func subscribe(_ receive: @escaping @Sendable (Event) -> Void) -> Subscription {
        subscribe(receive, end: nil)
    }

    /// Every later event as a sequence, which ends once the poster has.
    ///
    /// Events wait without limit for who reads slowly. Ending the loop, or its task, ends the
    /// subscription.
    public func stream() -> AsyncStream<Event> {
        AsyncStream { continuation in
            let subscription = subscribe(
                { continuation.yield($0) }, end: { continuation.finish() })
            continuation.onTermination = { _ in subscription.cancel() }
        }
    }

    private func subscribe(
        _ receive: @escaping @Sendable (Event) -> Void, end: (@Sendable () -> Void)?
    ) -> Subscription {
        let id = state.withLock { state -> Int? in
            state.next += 1
            guard !state.isClosed else { return nil }
            state.subscribers.append(Subscriber(id: state.next, receive: receive, end: end))
            return state.next
        }
        if id == nil { end?() }
        return Subscription(bus: self, id: id ?? 0)
    }

    /// Hands `event` to all subscribers.
    package func post(_ event: Event) {
        for subscriber in state.withLock({ $0.subscribers }) {
            // An earlier one, or another thread, may have cancelled it meanwhile.
            let isThere = state.withLock { $0.subscribers.contains { $0.id == subscriber.id } }
            if isThere { subscriber.receive(event) }
        }
    }

    /// Lets go of all subscribers, for nothing more will be posted.
    package func close() {
        let gone = state.withLock { state in
            defer { state.subscribers = [] }
            state.isClosed = true
            return state.subscribers
        }
        for subscriber in gone { subscriber.end?() }
    }
}
