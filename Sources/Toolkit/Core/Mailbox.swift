// An unbounded command queue for a thread that serves requests.

/// Carries commands to the one thread that owns the state they change.
///
/// Thread-safety: safe; one thread receives.
public final class Mailbox<Message: Sendable>: Sendable {
    private struct State {
        var messages: [Message] = []
        var closed = false
    }

    private let state = Monitor(State())

    /// Makes an empty mailbox.
    public init() {}

    /// Appends a message; false when the mailbox is closed.
    @discardableResult
    public func post(_ message: Message) -> Bool {
        state.withLock { state in
            guard !state.closed else { return false }
            state.messages.append(message)
            return true
        }
    }

    /// Waits for messages and takes them all, oldest first; empty at `deadline` or once closed.
    public func receive(until deadline: MediaTime? = nil) -> [Message] {
        state.wait(until: deadline) { state -> [Message]? in
            guard !state.messages.isEmpty || state.closed else { return nil }
            defer { state.messages = [] }
            return state.messages
        } ?? []
    }

    /// Takes no more messages; what is there can still be received.
    public func close() { state.withLock { $0.closed = true } }

    /// Whether `close` was called.
    public var isClosed: Bool { state.withLock { $0.closed } }
}
