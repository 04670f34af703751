// Runs script texts in a folder of their own, for the tests of the API.

import Licence
import LuaRuntime
import MediaCore
import MediaModel
import Plugins
import Scripting
import TestSupport
import Testing

/// What a script printed, reported and ended with.
struct ScriptOutcome: Sendable {
    var status: Int32 = -1
    var printed = ""
    var reported = ""
    var seconds = 0.0

    var lines: [String] { printed.split(separator: "\n").map(String.init) }

    /// One printed line; nothing where the script ended before it, so that a test fails, not the run.
    func line(_ index: Int) -> String { lines.dropFirst(index).first ?? "" }
}

/// The machine's files, with relative paths in a folder.
struct RootedFileSystem: FileSystem {
    let root: String
    private let files = SystemFileSystem()

    init(root: String) { self.root = root }

    private func place(_ path: String) -> String {
        path.hasPrefix("/") ? path : path.isEmpty || path == "." ? root : "\(root)/\(path)"
    }

    func open(_ path: String, _ access: FileAccess) throws(MediaError) -> sending any OpenFile {
        try files.open(place(path), access)
    }
    func facts(of path: String) throws(MediaError) -> FileFacts? {
        try files.facts(of: place(path))
    }
    func resolve(_ path: String) throws(MediaError) -> String { try files.resolve(place(path)) }
    func linkTarget(of path: String) throws(MediaError) -> String? {
        try files.linkTarget(of: place(path))
    }
    func list(_ folder: String) throws(MediaError) -> [String] { try files.list(place(folder)) }
    func makeFolder(_ path: String) throws(MediaError) { try files.makeFolder(place(path)) }
    func rename(_ source: String, to target: String) throws(MediaError) {
        try files.rename(place(source), to: place(target))
    }
    func remove(_ path: String) throws(MediaError) { try files.remove(place(path)) }
    func syncFolder(_ path: String) throws(MediaError) { try files.syncFolder(place(path)) }
    func setFacts(_ path: String, mode: UInt32, modified: Int64?) throws(MediaError) {
        try files.setFacts(place(path), mode: mode, modified: modified)
    }
}

/// A folder in which scripts run.
final class ScriptBench: Sendable {
    let folder: TemporaryFolder
    let registry: PluginRegistry

    init() throws {
        folder = try TemporaryFolder()
        // Its licences lie in the folder, and so does what it remembers of the clock.
        let environment = LicenceEnvironment(
            now: { UTCTime.now }, machine: { "machine" }, domain: { nil },
            stateFile: folder.file("license-clock"), files: RootedFileSystem(root: folder.path))
        registry = try BuiltinPlugins.makeRegistry(gate: LicenceGate(environment: environment))
    }

    /// Everything that a test may touch.
    static var grants: ScriptPermissions {
        var permissions = ScriptPermissions()
        permissions.read = .all
        permissions.write = .all
        permissions.run = .all
        return permissions
    }

    /// Runs text as the script `name`; it is cancelled after `patience` seconds of a quiet machine.
    func run(
        _ text: String, name: String = "script.lua", arguments: [String] = [],
        permissions: ScriptPermissions = ScriptBench.grants,
        timeout: Double = Sanitizer.patience(10),
        patience: Double = 60, cancelWhenPrinted: String? = nil, memory: Int = 128 << 20,
        cancellation token: CancellationToken = CancellationToken()
    ) -> ScriptOutcome {
        var configuration = ScriptConfiguration()
        configuration.arguments = arguments
        configuration.permissions = permissions
        configuration.limits = LuaState.Limits(time: MediaTime(seconds: timeout), memory: memory)
        configuration.version = "1.2.3"
        configuration.plugins = PluginLoader(into: registry)
        let outcome = Monitor(ScriptOutcome())
        let runner = ScriptRunner(
            registry: registry, configuration: configuration,
            files: RootedFileSystem(root: folder.path),
            output: { line in
                let text = String(osBytes: line)
                outcome.withLock { $0.printed += text }
                if let word = cancelWhenPrinted, text.hasPrefix(word) { token.cancel() }
                return true
            },
            report: { text in outcome.withLock { $0.reported += text + "\n" } })
        let isDone = Monitor(false)
        let begin = SystemTimeSource().now
        let guardian = WorkerThread("mk-guardian") {
            let deadline = begin + MediaTime(seconds: Sanitizer.patience(patience))
            if isDone.wait(until: deadline, { $0 ? true : nil }) == nil { token.cancel() }
        }
        let status = runner.run(text: Array(text.utf8), name: name, cancellation: token)
        isDone.withLock { $0 = true }
        guardian.join()
        var result = outcome.withLock { $0 }
        result.status = status
        result.seconds = (SystemTimeSource().now - begin).seconds
        return result
    }
}

/// Runs a script that ends well and prints these lines.
func check(
    _ text: String, _ printed: [String], at place: SourceLocation = #_sourceLocation
) throws {
    let outcome = try ScriptBench().run(text)
    #expect(outcome.reported == "", sourceLocation: place)
    #expect(outcome.status == 0, sourceLocation: place)
    #expect(outcome.lines == printed, sourceLocation: place)
}
