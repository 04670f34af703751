// Work beside the script: threads that do it, and the handle that waits for or cancels it.

internal import LuaRuntime
internal import MediaCore

/// Something that goes on while the script does.
///
/// Threading: confined to the script's thread; the work itself runs on a thread of the pool.
final class ScriptJob: LuaObject {
    static let luaName = "mk.Job"

    let id: Int
    let what: String
    let callback: LuaCallback?
    let newsCallback: LuaCallback?
    let token: CancellationToken
    var outcome: JobOutcome?

    init(
        id: Int, what: String, callback: LuaCallback?, newsCallback: LuaCallback?,
        token: CancellationToken
    ) {
        self.id = id
        self.what = what
        self.callback = callback
        self.newsCallback = newsCallback
        self.token = token
    }

    var luaText: String { "\(what) (\(outcome == nil ? "running" : "ended"))" }
}

extension JobOutcome: LuaResults {
    /// Pushes the results, or nil, message and code: what a job fails with is never the script's
    /// own mistake.
    func pushResults(to stack: LuaStack) -> Int32 {
        switch self {
        case .results(let results): return results.pushResults(to: stack)
        case .failed(let error):
            stack.pushNil()
            stack.push(error.message)
            stack.push(error.code.rawValue)
            return 3
        }
    }
}

/// Threads that run jobs, made as they are needed.
///
/// Thread-safety: safe.
final class JobPool: Sendable {
    /// The most jobs that run side by side; further ones wait.
    static let width = 32

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var idle = 0
        var threads: [WorkerThread] = []
        var isClosed = false
    }

    private let state = Monitor(State())

    /// Runs `work` on a thread of the pool.
    func submit(_ work: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.waiting.append(work)
            guard state.waiting.count > state.idle, state.threads.count < JobPool.width else {
                return
            }
            state.threads.append(
                WorkerThread("mk-job-\(state.threads.count + 1)", stackSize: 4 << 20) {
                    [self] in serve()
                })
        }
    }

    /// Waits until all jobs have ended, and ends the threads.
    func close() {
        let threads = state.withLock { state in
            state.isClosed = true
            defer { state.threads = [] }
            return state.threads
        }
        for thread in threads { thread.join() }
    }

    private func serve() {
        while true {
            state.withLock { $0.idle += 1 }
            let work = state.wait { state -> (@Sendable () -> Void)?? in
                if !state.waiting.isEmpty {
                    state.idle -= 1
                    return .some(state.waiting.removeFirst())
                }
                return state.isClosed ? .some(nil) : nil
            }
            guard let work = work ?? nil else { return }
            work()
        }
    }
}
