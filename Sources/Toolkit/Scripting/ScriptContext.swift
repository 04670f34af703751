// Everything one script has: its interpreter, grants, players, timers and jobs.

internal import LuaRuntime
internal import MediaCore
internal import MediaModel

/// What a script is given by the program that runs it.
struct ScriptSetting: Sendable {
    var name: String
    var arguments: [String]
    var registry: PluginRegistry
    var plugins: (any PluginFiles)?
    var files: any FileSystem
    var permissions: PermissionGuard
    var version: String
    var cancellation: CancellationToken
    /// Takes what is to be shown of a failure.
    var report: @Sendable (String) -> Void
}

/// The state behind the functions of one script.
///
/// Threading: confined to the script's thread; other threads post to `mailbox`.
final class ScriptContext {
    let setting: ScriptSetting
    let state: LuaState
    let mailbox = Mailbox<ScriptMessage>()
    let clock: any TimeSource = SystemTimeSource()
    let pool = JobPool()
    let null = JSONNull()

    var players: [Int: ScriptPlayer] = [:]
    var jobs: [Int: ScriptJob] = [:]
    var timers: [ScriptTimer] = []
    var observations: [Int: ScriptObservation] = [:]
    /// Marks that players have not given back yet.
    var marks: Set<Int> = []
    /// Messages that were received and wait for their turn.
    var pending: [ScriptMessage] = []
    /// Hooks that were put off, so that they can go on when the script ends.
    var deferredHooks: [ScriptHook] = []
    /// Names other URLs for what can't be decoded well.
    var backupCallback: LuaCallback?
    /// What hears of premium features.
    var premiumCallback: LuaCallback?
    /// Whether a person types lines: failures are shown and do not end it.
    var isInteractive = false
    /// Lines of a dialogue that are not a whole statement yet.
    var unfinishedLines = ""
    /// What evaluates a line of a dialogue.
    var evaluator: LuaReference?
    /// The first failure of a callback, or a stop for running too long.
    private(set) var failure: LuaError?
    private(set) var exitStatus: Int32?
    private var lastNumber = 0

    init(_ setting: ScriptSetting, state: LuaState) {
        self.setting = setting
        self.state = state
    }

    /// A number that nothing else of this script has.
    func number() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Ends the script with an exit status.
    func quit(_ status: Int32) {
        if exitStatus == nil { exitStatus = status }
        state.stopper.stop(.quit)
    }

    /// Calls a function of the script; its failing ends the script.
    func invoke(_ callback: LuaCallback, _ arguments: (LuaStack) -> Int32) {
        do throws(LuaError) {
            try state.call(callback.reference, arguments) { _, _ in }
        } catch {
            fail(error)
        }
    }

    /// Notes a failure, shows it, and ends the script.
    func fail(_ error: LuaError) {
        let error = advised(error)
        switch error.kind {
        case .stopped(.quit), .stopped(.interrupted), .stopped(.outputFailed): return
        case .stopped(.timedOut), .syntax, .runtime, .memory: break
        }
        if isInteractive {
            setting.report(error.description)
            if state.stop == .timedOut { state.resume() }
            return
        }
        if failure == nil {
            failure = error
            setting.report(error.description)
        }
        state.stopper.stop(.quit)
    }

    /// The failure with the option that lifts the bound it came from.
    private func advised(_ error: LuaError) -> LuaError {
        let advice: String
        let limits = state.limits
        switch error.kind {
        case .memory where limits.memory > 0:
            advice = "--script-memory gives it more than \(max(1, limits.memory >> 20)) MiB"
        case .stopped(.timedOut):
            advice =
                "--script-timeout gives it more than \(OptionValue.double(limits.time.seconds)) s"
        default: return error
        }
        return LuaError(
            kind: error.kind, message: "\(error.message); \(advice)", traceback: error.traceback)
    }

    /// Begins work on another thread.
    ///
    /// - Parameters:
    ///   - what: how messages call it.
    ///   - callback: is called with the results, or with nil, message and code.
    ///   - news: is called with what the work says on its way.
    func start<Results: LuaResults & Sendable>(
        _ what: String, then callback: LuaCallback? = nil, news: LuaCallback? = nil,
        _ work:
            @escaping @Sendable (CancellationToken, @escaping @Sendable (JSON) -> Void)
            throws(MediaError) -> Results
    ) -> ScriptJob {
        let (token, registration) = setting.cancellation.makeChild()
        let job = ScriptJob(
            id: number(), what: what, callback: callback, newsCallback: news, token: token)
        jobs[job.id] = job
        let (id, mailbox) = (job.id, mailbox)
        pool.submit {
            let outcome: JobOutcome
            do throws(MediaError) {
                try token.check()
                outcome = .results(try work(token) { mailbox.post(.news(job: id, $0)) })
            } catch {
                outcome = .failed(error)
            }
            registration.remove()
            mailbox.post(.ended(job: id, outcome))
        }
        return job
    }

    /// Runs callbacks until a job has ended, and gives its results.
    ///
    /// - Throws: `timed-out` after `timeout`; `cancelled` when the script is stopped meanwhile, which
    ///   cancels the job.
    func finish(_ job: ScriptJob, timeout: MediaTime? = nil) throws(MediaError) -> JobOutcome {
        let deadline = timeout.map { clock.now + $0 }
        do throws(MediaError) {
            guard try pump(until: deadline, { job.outcome != nil }) else {
                throw MediaError(.timedOut, "\(job.what): not done yet")
            }
        } catch {
            if error.code == .cancelled { job.token.cancel() }
            throw error
        }
        guard let outcome = job.outcome else {
            throw MediaError(.internalError, "\(job.what): ended without an outcome")
        }
        return outcome
    }

    /// Ends players, timers and jobs, and waits for their threads.
    func close() {
        timers = []
        // Players at a hook go on first: those in the mailbox as they are let go.
        mailbox.close()
        pending = []
        _ = mailbox.receive(until: .zero)
        for hook in deferredHooks { hook.proceed() }
        deferredHooks = []
        backupCallback = nil
        for job in jobs.values { job.token.cancel() }
        for player in players.values { player.close() }
        pool.close()
        evaluator = nil
        premiumCallback = nil
        players = [:]
        jobs = [:]
        observations = [:]
    }
}

@available(*, unavailable)
extension ScriptContext: Sendable {}
