// What was mended or skipped on the way, gathered from all threads.

package import MediaCore
internal import Synchronization

/// Gathers sentences, the same one once with its count, and passes each new one on.
///
/// Thread-safety: safe.
package final class WarningLog: Sendable {
    private struct State {
        var order: [String] = []
        var counts: [String: Int] = [:]
        var isDamaged = false
    }

    private static let limit = 100
    private let state = Mutex(State())
    private let category: String
    private let level: Log.Level
    private let pass: @Sendable (String) -> Void

    /// Makes an empty log; `pass` is called for the first occurrence of each sentence.
    ///
    /// - Parameter level: how loudly the log says it too; `info` where the sentences are part of a
    ///   report that is shown anyway.
    package init(
        category: String = "pipeline", level: Log.Level = .info,
        pass: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.category = category
        self.level = level
        self.pass = pass
    }

    /// Adds a sentence; beyond a hundred different ones they are only counted as more.
    ///
    /// - Parameter isDamage: whether it says that a part of the input is missing from the output.
    package func add(_ message: String, isDamage: Bool = false) {
        let isNew = state.withLock { state in
            if isDamage { state.isDamaged = true }
            let key =
                state.counts[message] != nil || state.order.count < WarningLog.limit
                ? message : "more warnings"
            let count = state.counts[key, default: 0]
            state.counts[key] = count + 1
            if count == 0 { state.order.append(key) }
            return count == 0
        }
        guard isNew else { return }
        Log.write(level, category, message)
        pass(message)
    }

    /// Whether a part of the input could not be read.
    package var isDamaged: Bool { state.withLock { $0.isDamaged } }

    /// The sentences in the order they first came, `(n times)` behind those that came again.
    package var messages: [String] {
        state.withLock { state in
            state.order.map { message in
                let count = state.counts[message, default: 1]
                return count > 1 ? "\(message) (\(count) times)" : message
            }
        }
    }
}
