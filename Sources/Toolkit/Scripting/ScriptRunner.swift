// Runs a script to its end and gives an exit status.

internal import LuaRuntime
public import MediaCore
public import MediaModel

/// Runs scripts, each in an interpreter and on a thread of its own.
///
/// Thread-safety: safe; several runs may go on at once.
public struct ScriptRunner: Sendable {
    private let registry: PluginRegistry
    private let configuration: ScriptConfiguration
    private let files: any FileSystem
    private let output: @Sendable ([UInt8]) -> Bool
    private let report: @Sendable (String) -> Void

    /// How long a call inside Lua's own library may overrun the time limit before it is given up.
    static let grace = MediaTime(seconds: 3)
    /// How long a cancelled script may take to end its players and files.
    static let farewell = MediaTime(seconds: 10)

    /// Prepares runs.
    ///
    /// - Parameters:
    ///   - output: takes what `print` writes; false where nobody takes it any more, which ends the
    ///     script with status 1.
    ///   - report: takes the message and traceback of a failure.
    public init(
        registry: PluginRegistry, configuration: ScriptConfiguration = ScriptConfiguration(),
        files: any FileSystem = SystemFileSystem(),
        output: @escaping @Sendable ([UInt8]) -> Bool,
        report: @escaping @Sendable (String) -> Void = { Log.error("mediakit", $0) }
    ) {
        self.registry = registry
        self.configuration = configuration
        self.files = files
        self.output = output
        self.report = report
    }

    /// Runs the script in a file.
    ///
    /// - Throws: what the file system reports of the file.
    public func run(
        path: String, cancellation: CancellationToken = CancellationToken()
    ) throws(MediaError) -> Int32 {
        let text = try FileText.read(path, limit: 64 << 20, files)
        return run(text: text, name: path, cancellation: cancellation)
    }

    /// Runs text and gives the exit status: 0, what `mk.quit` was given, 1 where standard output
    /// can't be written, 2 for an error of the script or one that ran too long, 130 when cancelled.
    ///
    /// Blocks until players, jobs and timers of the script have ended too.
    ///
    /// - Parameter name: what messages call it; a path, in whose folder `require` looks, or `-` for
    ///   text that has no place.
    public func run(
        text: [UInt8], name: String, cancellation: CancellationToken = CancellationToken()
    ) -> Int32 {
        let result = Monitor<Int32?>(nil)
        let stopper = Monitor<LuaStopper?>(nil)
        let setting = setting(name, cancellation)
        let (configuration, output, report) = (configuration, output, report)
        let folder = ScriptRunner.folder(of: name)
        let thread = WorkerThread(ScriptRunner.threadName(name), stackSize: 16 << 20) {
            var status: Int32 = 1
            do throws(MediaError) {
                let session = try ScriptSession(
                    setting, configuration, folder: folder, output: output)
                stopper.withLock { $0 = session.state.stopper }
                // What some editors put before UTF-8 text.
                let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
                status = session.run(
                    text.starts(with: mark) ? Array(text.dropFirst(3)) : text,
                    chunk: name == "-" ? "=stdin" : "@" + name)
                session.close()
            } catch {
                report(error.message)
            }
            result.withLock { [status] in $0 = status }
        }
        let tick = MediaTime.milliseconds(250)
        var cancelled: MediaTime?
        while true {
            let now = SystemTimeSource().now
            if let status = result.wait(until: now + tick, { $0 }) {
                thread.join()
                return status
            }
            if cancellation.isCancelled {
                cancelled = cancelled ?? now
                if let cancelled, now - cancelled > ScriptRunner.farewell {
                    report("\(name): the script is stuck in a call that can't be stopped")
                    thread.abandon()
                    return 130
                }
            }
            let overrun = stopper.withLock { $0 }?.overrun ?? .zero
            if overrun > ScriptRunner.grace {
                report("\(name): the script is stuck in a call that can't be stopped")
                thread.abandon()
                return 2
            }
        }
    }

    func setting(_ name: String, _ cancellation: CancellationToken) -> ScriptSetting {
        let permissions = configuration.permissions.allowing(configuration.arguments)
        return ScriptSetting(
            name: name, arguments: configuration.arguments, registry: registry.withListener(),
            plugins: configuration.plugins, files: files,
            permissions: PermissionGuard(permissions, files: files),
            version: configuration.version, cancellation: cancellation, report: report)
    }

    /// `mk-lua-` and the script's bare name, as far as a thread's name goes.
    private static func threadName(_ name: String) -> String {
        let file = name.split(separator: "/").last ?? "script"
        return "mk-lua-\(file.split(separator: ".").first ?? "script")"
    }

    private static func folder(of name: String) -> String? {
        guard name != "-" else { return nil }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        guard !parts.isEmpty else { return "." }
        return parts == [""] ? "/" : parts.joined(separator: "/")
    }
}
