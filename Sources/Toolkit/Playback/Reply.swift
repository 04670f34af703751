// An answer that a caller waits for and the engine gives.

internal import MediaCore

/// One answer; the first one counts.
///
/// Thread-safety: safe.
final class Reply<Value: Sendable>: Sendable {
    private let answer = Monitor<Result<Value, MediaError>?>(nil)
    private let pass: (@Sendable (Result<Value, MediaError>) -> Void)?

    /// Makes a reply without an answer; `pass` gets it on the thread that gives it.
    init(pass: (@Sendable (Result<Value, MediaError>) -> Void)? = nil) { self.pass = pass }

    /// Gives the answer.
    func complete(_ result: Result<Value, MediaError>) {
        let isFirst = answer.withLock { answer in
            guard answer == nil else { return false }
            answer = result
            return true
        }
        if isFirst { pass?(result) }
    }

    /// Waits for the answer; `cancelled` when the token is cancelled first.
    func wait(_ cancellation: CancellationToken? = nil) throws(MediaError) -> Value {
        let registration = cancellation?.onCancel { [self] in
            complete(.failure(MediaError(.cancelled, "cancelled")))
        }
        defer { registration?.remove() }
        guard let result = answer.wait({ $0 }) else {
            throw MediaError(.cancelled, "cancelled")
        }
        return try result.get()
    }
}
