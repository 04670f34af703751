// The calls of a player that wait, for tasks, which give way meanwhile.

public import MediaCore
public import MediaModel

extension Player {
    /// Opens a medium without holding a thread; see the other `open`.
    ///
    /// Cancelling the task gives the opening up.
    public func open(_ url: String) async throws(MediaError) -> MediaInfo {
        let facts = facts
        return try await wait { reply in
            facts.end(.open(url, reply))
        } onCancel: { reply in
            // Answered by the engine, which may have opened it already.
            facts.giveUp(reply)
        }
    }

    /// Moves playback without holding a thread; see the other `seek`.
    ///
    /// Cancelling the task ends the wait; playback goes to the place all the same.
    public func seek(
        to time: MediaTime, precision: SeekPrecision = .keyframe
    ) async throws(MediaError) -> MediaTime {
        try await ask { .seek(time, precision, $0) }
    }

    /// Waits until playback ended without holding a thread; see the other `waitUntilEnded`.
    ///
    /// Cancelling the task ends the wait; playback goes on.
    public func waitUntilEnded() async throws(MediaError) {
        try await ask { .awaitEnd($0) }
    }

    private func ask<Value: Sendable>(
        _ message: (Reply<Value>) -> EngineMessage
    ) async throws(MediaError) -> Value {
        try await wait { reply in
            facts.mailbox.post(message(reply))
        } onCancel: { reply in
            reply.complete(.failure(MediaError(.cancelled, "cancelled")))
        }
    }

    /// Waits for the answer to a message; `send` is false where the player is closed.
    private func wait<Value: Sendable>(
        _ send: (Reply<Value>) -> Bool, onCancel: @escaping @Sendable (Reply<Value>) -> Void
    ) async throws(MediaError) -> Value {
        let token = CancellationToken()
        let result: Result<Value, MediaError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let reply = Reply<Value> { continuation.resume(returning: $0) }
                if send(reply) {
                    token.onCancel { onCancel(reply) }
                } else {
                    reply.complete(.failure(PlayerFacts.closed))
                }
            }
        } onCancel: {
            token.cancel()
        }
        return try result.get()
    }
}
