// Decoded sound kept in memory between measuring and encoding, within a common budget.

internal import MediaCore
internal import MediaModel
internal import Synchronization

/// How many bytes of sound all jobs together may keep.
final class SampleBudget: Sendable {
    private let left: Mutex<Int>

    init(_ bytes: Int) { left = Mutex(bytes) }

    /// Takes `bytes` out of the budget; false where it has not so many left.
    func reserve(_ bytes: Int) -> Bool {
        left.withLock { left in
            guard bytes <= left else { return false }
            left -= bytes
            return true
        }
    }

    /// Gives `bytes` back.
    func release(_ bytes: Int) { left.withLock { $0 += bytes } }
}

/// The frames of one programme, all of them or none.
///
/// Threading: filled on one thread; read from any afterwards.
final class SampleCache: Sendable {
    private struct State {
        var frames: [Frame] = []
        var reserved = 0
        var used = 0
        var isComplete = true
    }

    private let budget: SampleBudget
    private let state = Mutex(State())

    /// Makes an empty cache.
    init(_ budget: SampleBudget) { self.budget = budget }

    deinit { state.withLock { budget.release($0.reserved) } }

    /// Says how many bytes will come in all; lets everything go where they will not fit.
    func expect(_ bytes: Int) { state.withLock { reserve(bytes, &$0) } }

    /// Keeps a frame; lets everything go where it does not fit.
    func keep(_ frame: Frame) {
        state.withLock { state in
            let used = state.used + frame.sampleCount * (frame.audioFormat?.channelCount ?? 0) * 4
            reserve(used, &state)
            guard state.isComplete else { return }
            state.used = used
            state.frames.append(frame)
        }
    }

    private func reserve(_ bytes: Int, _ state: inout State) {
        guard state.isComplete, bytes > state.reserved else { return }
        if budget.reserve(bytes - state.reserved) {
            state.reserved = bytes
        } else {
            budget.release(state.reserved)
            state = State(isComplete: false)
        }
    }

    /// The frames in order; nil where they did not fit.
    var frames: [Frame]? { state.withLock { $0.isComplete ? $0.frames : nil } }
}

extension Frame {
    /// A frame on the same samples, which the filters it passes then must not write to.
    var shared: Frame { stamped(pts: pts, timeBase: timeBase) }
}
