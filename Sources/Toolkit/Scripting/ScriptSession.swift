// One interpreter with the API in it, from its making to its end, on the script's thread.

internal import LuaRuntime
internal import MediaCore
internal import MediaModel

/// A script's interpreter and context.
///
/// Threading: made, used and closed on one thread.
final class ScriptSession {
    let state: LuaState
    let context: ScriptContext
    private let registration: CancellationToken.Registration

    /// Makes an interpreter with the API.
    ///
    /// - Parameter folder: the script's own, for `require`; nil where it has none.
    init(
        _ setting: ScriptSetting, _ configuration: ScriptConfiguration, folder: String?,
        output: @escaping @Sendable ([UInt8]) -> Bool
    ) throws(MediaError) {
        let isUnsafe = configuration.permissions.isUnsafe
        let state = try LuaState(
            limits: configuration.limits, libraries: isUnsafe ? .everything : .contained,
            output: output)
        let context = ScriptContext(setting, state: state)
        self.state = state
        self.context = context
        let (stopper, mailbox) = (state.stopper, context.mailbox)
        registration = setting.cancellation.onCancel {
            stopper.stop(.interrupted)
            mailbox.post(.wake)
        }
        state.install(ScriptAPI.table, context: context)
        let folders = ([folder].compactMap { $0 } + configuration.moduleFolders).map { path in
            (try? setting.files.resolve(path)) ?? path
        }
        do throws(LuaError) {
            try prepare(folders, isUnsafe: isUnsafe)
        } catch {
            // Cancelled meanwhile: whatever runs next says so, and nothing does.
            if case .stopped = error.kind { return }
            close()
            throw MediaError(.internalError, error.message)
        }
    }

    private func prepare(_ folders: [String], isUnsafe: Bool) throws(LuaError) {
        if isUnsafe {
            let path = LuaSandbox.candidates(for: "?", in: folders).joined(separator: ";")
            state.setGlobal("arg", path)
            try run("package.path = arg; io.stdout:setvbuf('no')")
        } else {
            let files = context.setting.files
            try state.enableRequire(folders: folders) { (path) throws(MediaError) in
                guard let facts = try files.facts(of: path), facts.kind == .file else { return nil }
                return try FileText.read(path, limit: 16 << 20, files)
            }
        }
        state.setGlobal("arg", context.setting.arguments)
        let name = context.setting.name
        try state.run(
            Array("package.loaded.mediakit = mk; arg[0] = ...".utf8), name: "=setup",
            arguments: [name]
        ) { _, _ in }
    }

    private func run(_ text: String) throws(LuaError) {
        try state.run(Array(text.utf8), name: "=setup") { _, _ in }
    }

    /// Runs a script's text and gives its exit status.
    func run(_ text: [UInt8], chunk: String) -> Int32 {
        do throws(LuaError) {
            try state.run(
                ScriptSession.withoutShebang(text), name: chunk,
                arguments: context.setting.arguments
            ) { _, _ in }
        } catch {
            context.fail(error)
        }
        if context.failure != nil { return LuaStop.failed }
        switch state.stop {
        case .interrupted: return 130
        case .outputFailed: return 1
        case .timedOut: return LuaStop.failed
        case .quit, nil: return context.exitStatus ?? 0
        }
    }

    /// Ends everything the script began, and the interpreter.
    func close() {
        registration.remove()
        context.close()
        state.close()
    }

    /// The text with a first line of `#!` emptied, so that lines keep their numbers.
    private static func withoutShebang(_ text: [UInt8]) -> [UInt8] {
        guard text.first == UInt8(ascii: "#") else { return text }
        return Array(text.drop { $0 != UInt8(ascii: "\n") })
    }
}

extension LuaStop {
    /// The exit status of a script that failed.
    fileprivate static let failed: Int32 = 2
}
