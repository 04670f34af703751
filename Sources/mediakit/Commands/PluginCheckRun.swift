// `mediakit plugins --check`: a plugin file tried out in a child process.

import Glibc
import Plugins
import Toolkit

/// One check of a plugin file.
struct PluginCheckRun {
    static let options = [
        OptionSpec(
            "check", .string, default: nil, unit: "FILE",
            "Tries out everything in a plugin file, in a process of its own."),
        OptionSpec(
            "check_timeout", .double(0.1...86400), default: .double(60), unit: "s",
            "How long the check may take."),
        OptionSpec(
            "in_process", .bool, default: .bool(false),
            "Lets this process do the check, which a bad plugin may end or hang."),
    ]

    private let path: String
    private let options: Options

    init(_ path: String, _ line: ParsedLine) {
        self.path = path
        options = line.options
    }

    func run() throws(MediaError) -> Int32 {
        options.bool("in_process") ? try check() : try watch()
    }

    // MARK: - In this process

    /// What a line of the child begins with, so that a plugin's own output is no part of it.
    private static let mark = "\u{1}check"

    private func check() throws(MediaError) -> Int32 {
        let isForProgram = options.bool("json")
        if isForProgram { PluginCheck.endWithParent(limit: limit) }
        func write(_ state: String, _ name: String, _ text: String = "") {
            let parts = isForProgram ? [Self.mark, state, name, text] : [state, name, text]
            let line = parts.map { $0.replacing("\t", with: " ").replacing("\n", with: " ") }
                .joined(separator: isForProgram ? "\t" : "  ")
            // Where nobody reads it any more there is nobody to tell.
            try? Terminal.write(line + "\n")
        }
        let check = PluginCheck(
            began: { write("begin", $0) },
            ended: { write($0.failure == nil ? "ok" : "failed", $0.name, $0.failure ?? "") })
        let holds = check.run(path)
        write("done", "")
        return holds ? 0 : 2
    }

    // MARK: - In a child

    private var limit: MediaTime { MediaTime(seconds: options.double("check_timeout") ?? 60) }

    private func watch() throws(MediaError) -> Int32 {
        let program = try SystemFileSystem().resolve("/proc/self/exe")
        let words = [
            "plugins", "--json", "--in-process", "--check-timeout", "\(limit.seconds)", "--check",
            path,
        ]
        let child = try Interrupts.watching { (token) throws(MediaError) in
            try ProgramRun.run(
                program, words, until: SystemTimeSource().now + limit, cancellation: token)
        }
        var report = Report(String(osBytes: child.output), mark: Self.mark)
        switch child.ending {
        case .signalled(let signal): report.stop("crashed with \(Self.name(of: signal))")
        case .timedOut: report.stop("hangs: not done after \(limit.seconds) s")
        case .exited(let status) where !report.isDone:
            report.stop("ended the process with status \(status)")
        case .exited: break
        }
        try options.bool("json") ? Terminal.write(report.json(path)) : Terminal.write(report.text)
        if report.failures.isEmpty { return 0 }
        let first = report.failures[0]
        throw MediaError(
            .pluginUnusable,
            "plugin \(path.printable): \(report.failures.count) of \(report.steps.count) steps "
                + "failed; \(first.name): \(first.failure ?? "")")
    }

    private static func name(of signal: Int) -> String {
        let names = [
            Int(SIGSEGV): "SIGSEGV", Int(SIGABRT): "SIGABRT", Int(SIGBUS): "SIGBUS",
            Int(SIGFPE): "SIGFPE", Int(SIGILL): "SIGILL", Int(SIGTRAP): "SIGTRAP",
            Int(SIGKILL): "SIGKILL",
        ]
        return names[signal] ?? "signal \(signal)"
    }

    /// What the child told.
    private struct Report {
        private(set) var steps: [PluginCheck.Step] = []
        private(set) var isDone = false
        /// The step that has begun and not ended.
        private var open: String?

        init(_ text: String, mark: String) {
            for line in text.split(separator: "\n") {
                let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
                    .map(String.init)
                guard parts.count == 4, parts[0] == mark else { continue }
                switch parts[1] {
                case "begin": open = parts[2]
                case "ok": end(PluginCheck.Step(parts[2]))
                case "failed": end(PluginCheck.Step(parts[2], failure: parts[3]))
                default: isDone = true
                }
            }
        }

        private mutating func end(_ step: PluginCheck.Step) {
            steps.append(step)
            open = nil
        }

        /// Notes that the child did not come to its end.
        mutating func stop(_ why: String) {
            end(PluginCheck.Step(open ?? "after the last step", failure: why))
        }

        var failures: [PluginCheck.Step] { steps.filter { $0.failure != nil } }

        var text: String {
            steps.map { step in
                step.failure.map { "FAILED  \(step.name): \($0)\n" } ?? "ok      \(step.name)\n"
            }.joined()
        }

        func json(_ path: String) -> JSON {
            .object([
                .init("schema", .string("mediakit.plugin-check/1")), .init("file", .string(path)),
                .init("usable", .bool(failures.isEmpty)),
                .init(
                    "steps",
                    .array(
                        steps.map { step in
                            .object([
                                .init("name", .string(step.name)),
                                .init("failure", step.failure.map { .string($0) } ?? .null),
                            ])
                        })),
            ])
        }
    }
}
