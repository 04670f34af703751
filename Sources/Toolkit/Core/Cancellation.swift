// A tree of cancel tokens, each with wake callbacks.

/// Says once that work is no longer wanted, and wakes what waits for it.
///
/// Thread-safety: safe. Callbacks run once, on the thread that cancels, or at once where the token
/// is cancelled already; they must not block.
public final class CancellationToken: Sendable {
    private struct State {
        var cancelled = false
        var next = 0
        var callbacks: [Int: @Sendable () -> Void] = [:]
    }

    /// Takes a callback back when it is no longer needed.
    public struct Registration: Sendable {
        fileprivate let token: CancellationToken
        fileprivate let id: Int

        /// Forgets the callback.
        public func remove() { token.state.withLock { _ = $0.callbacks.removeValue(forKey: id) } }
    }

    private let state = Monitor(State())

    /// Makes a token that nothing has cancelled.
    public init() {}

    /// A token that is cancelled with this one, or alone.
    ///
    /// Keep the registration and remove it when the child ends, so that a long-lived parent does
    /// not gather callbacks.
    public func makeChild() -> (token: CancellationToken, registration: Registration) {
        let child = CancellationToken()
        return (child, onCancel { child.cancel() })
    }

    /// Whether `cancel` was called.
    public var isCancelled: Bool { state.withLock { $0.cancelled } }

    /// Cancels and runs each callback once.
    public func cancel() {
        let callbacks = state.withLock { state in
            defer {
                state.cancelled = true
                state.callbacks = [:]
            }
            return Array(state.callbacks.values)
        }
        for callback in callbacks { callback() }
    }

    /// Runs `callback` at cancellation.
    @discardableResult
    public func onCancel(_ callback: @escaping @Sendable () -> Void) -> Registration {
        let id = state.withLock { state -> Int? in
            guard !state.cancelled else { return nil }
            state.next += 1
            state.callbacks[state.next] = callback
            return state.next
        }
        if id == nil { callback() }
        return Registration(token: self, id: id ?? 0)
    }

    /// Throws `cancelled` when the token is cancelled.
    public func check() throws(MediaError) {
        if isCancelled { throw MediaError(.cancelled, "cancelled") }
    }
}
