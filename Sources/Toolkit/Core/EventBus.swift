// Ordered events for any number of listeners, without ever blocking the poster.

/// Hands each posted event to every subscriber, in the order of posting.
///
/// Subscribers run on the poster's thread and must only pass the event on (into a `Mailbox`, a
/// stream). Thread-safety: safe; posts are serialised by the owner posting from one thread.
public final class EventBus<Event: Sendable>: Sendable {
    private struct State {
        var next = 0
        var subscribers: [(id: Int, receive: @Sendable (Event) -> Void)] = []
    }

    /// Ends a subscription.
    public struct Subscription: Sendable {
        fileprivate let bus: EventBus
        fileprivate let id: Int

        /// Receives nothing more.
        public func cancel() {
            bus.state.withLock { state in state.subscribers.removeAll { $0.id == id } }
        }
    }

    private let state = Monitor(State())

    /// Makes a bus without subscribers.
    public init() {}

    /// Receives every later event.
    public func subscribe(_ receive: @escaping @Sendable (Event) -> Void) -> Subscription {
        let id = state.withLock { state in
            state.next += 1
            state.subscribers.append((state.next, receive))
            return state.next
        }
        return Subscription(bus: self, id: id)
    }

    /// Hands `event` to all subscribers.
    public func post(_ event: Event) {
        for subscriber in state.withLock({ $0.subscribers }) { subscriber.receive(event) }
    }
}
