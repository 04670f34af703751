// A dialogue: lines in, values out, with callbacks running between the lines.

internal import LuaRuntime
public import MediaCore
public import MediaModel

/// What became of a line.
public enum ReplResult: Sendable, Equatable {
    /// It was evaluated; values were printed.
    case done
    /// It is the beginning of a statement; the next line goes on with it.
    case needsMore
    /// It failed; the message and traceback.
    case failed(String)
    /// The dialogue has ended with an exit status.
    case ended(Int32)
}

/// Carries the result of a line back to who typed it.
final class ReplAnswer: Sendable {
    private let result = Monitor<ReplResult?>(nil)

    func give(_ value: ReplResult) { result.withLock { $0 = value } }

    /// Waits for the result; nil at `deadline`.
    func take(until deadline: MediaTime) -> ReplResult? { result.wait(until: deadline) { $0 } }
}

/// Evaluates lines in an interpreter of its own: first as an expression, then as a statement.
///
/// Players and timers go on between lines. Call `close` before letting go.
///
/// Thread-safety: safe; one line at a time.
public final class Repl: Sendable {
    private let thread: WorkerThread
    private let mailbox: Monitor<Mailbox<ScriptMessage>?>
    private let status: Monitor<Int32?>
    private let stopper: Monitor<LuaStopper?>
    private let giveUp: @Sendable () -> Void
    private let isStuck = Monitor(false)
    private let cancellation: CancellationToken

    /// Starts the dialogue's thread.
    public init(
        registry: PluginRegistry, configuration: ScriptConfiguration = ScriptConfiguration(),
        files: any FileSystem = SystemFileSystem(),
        cancellation: CancellationToken = CancellationToken(),
        output: @escaping @Sendable ([UInt8]) -> Bool,
        report: @escaping @Sendable (String) -> Void = { Log.error("mediakit", $0) }
    ) {
        let mailbox = Monitor<Mailbox<ScriptMessage>?>(nil)
        let status = Monitor<Int32?>(nil)
        let stopper = Monitor<LuaStopper?>(nil)
        let runner = ScriptRunner(
            registry: registry, configuration: configuration, files: files, output: output,
            report: report)
        let setting = runner.setting("repl", cancellation)
        thread = WorkerThread("mk-lua-repl", stackSize: 16 << 20) {
            var ending: Int32 = 1
            do throws(MediaError) {
                let session = try ScriptSession(
                    setting, configuration, folder: nil, output: output)
                stopper.withLock { $0 = session.state.stopper }
                mailbox.withLock { $0 = session.context.mailbox }
                ending = session.converse()
                session.close()
            } catch {
                report(error.message)
            }
            status.withLock { [ending] in $0 = ending }
        }
        self.mailbox = mailbox
        self.status = status
        self.stopper = stopper
        self.cancellation = cancellation
        giveUp = { report("repl: the line is stuck in a call that can't be stopped") }
    }

    /// Evaluates a line and waits for what becomes of it.
    public func evaluate(_ line: String) -> ReplResult {
        ask { .line(line, $0) }
    }

    private func ask(_ message: (ReplAnswer) -> ScriptMessage) -> ReplResult {
        var mailbox: Mailbox<ScriptMessage>?
        while mailbox == nil {
            if let status = status.withLock({ $0 }) { return .ended(status) }
            mailbox = self.mailbox.wait(until: soon) { $0 }
        }
        let answer = ReplAnswer()
        // A closed mailbox takes no line, and a line left in it is never answered: in both cases
        // the thread is about to end, and tells its status last.
        _ = mailbox?.post(message(answer))
        var cancelled: MediaTime?
        while true {
            if let result = answer.take(until: soon) { return result }
            if let status = status.withLock({ $0 }) {
                // It may have been given between the two looks.
                return answer.take(until: .zero) ?? .ended(status)
            }
            if stopper.withLock({ $0 })?.overrun ?? .zero > ScriptRunner.grace {
                return abandon(with: 2)
            }
            guard cancellation.isCancelled else { continue }
            let now = SystemTimeSource().now
            cancelled = cancelled ?? now
            if let cancelled, now - cancelled > ScriptRunner.farewell { return abandon(with: 130) }
        }
    }

    /// Leaves a thread behind that hangs in Lua's own library.
    private func abandon(with status: Int32) -> ReplResult {
        let isFirst = isStuck.withLock { isStuck in
            defer { isStuck = true }
            return !isStuck
        }
        if isFirst {
            giveUp()
            thread.abandon()
        }
        return .ended(status)
    }

    private var soon: MediaTime { SystemTimeSource().now + .milliseconds(50) }

    /// Ends the dialogue and joins its thread; gives the exit status.
    @discardableResult
    public func close() -> Int32 {
        // No line: one would go on with an unfinished statement, and `mk` is the user's to change.
        _ = ask { .quit($0) }
        if isStuck.withLock({ $0 }) { return 2 }
        thread.join()
        return status.withLock { $0 } ?? 0
    }
}

extension ScriptSession {
    /// Serves lines until the dialogue ends; gives the exit status.
    fileprivate func converse() -> Int32 {
        context.isInteractive = true
        do throws(LuaError) {
            context.evaluator = try state.run(Array(evaluator.utf8), name: "=setup") {
                stack, first in LuaReference(stack, at: first)
            }
        } catch {
            if error.kind == .stopped(.interrupted) { return 130 }
            context.setting.report(error.description)
            return 1
        }
        _ = try? context.pump { false }
        return state.stop == .interrupted ? 130 : context.exitStatus ?? 0
    }

    /// Gives nothing, or the message of a syntax error.
    private var evaluator: String {
        """
        local load, print, select = load, print, select
        local function show(...) if select("#", ...) > 0 then print(...) end end
        return function(text)
          local run, message = load("return " .. text, "=repl", "t")
          if not run then
            run, message = load(text, "=repl", "t")
            if not run then return message end
          end
          show(run())
        end
        """
    }
}

extension ScriptContext {
    /// Evaluates a line of a dialogue, together with those before it that were not whole.
    func evaluate(_ line: String, _ answer: ReplAnswer) {
        guard let evaluator else { return answer.give(.failed("no dialogue")) }
        let text = unfinishedLines.isEmpty ? line : unfinishedLines + "\n" + line
        unfinishedLines = ""
        do throws(LuaError) {
            let complaint = try state.call(
                evaluator,
                { stack in
                    stack.push(text)
                    return 1
                }, { stack, first in stack.string(at: first) })
            guard let complaint else { return answer.give(.done) }
            // An empty line gives a statement up.
            guard complaint.hasSuffix("<eof>"), !line.isEmpty else {
                return answer.give(.failed(complaint))
            }
            unfinishedLines = text
            answer.give(.needsMore)
        } catch {
            switch error.kind {
            case .stopped(.quit): answer.give(.ended(exitStatus ?? 0))
            case .stopped(.interrupted): answer.give(.ended(130))
            case .stopped(.outputFailed): answer.give(.ended(1))
            case .stopped(.timedOut):
                state.resume()
                answer.give(.failed(error.description))
            case .runtime, .memory, .syntax: answer.give(.failed(error.description))
            }
        }
    }
}
