// Chooses the verb, runs it, turns its error into a message and an exit status.

import Glibc
import Toolkit

enum Program {
    static let commands: [any Command] = [
        RunCommand(), ReplCommand(), PlayCommand(), BatchCommand(), MeasureCommand(),
        ProbeCommand(), FiltersCommand(), PluginsCommand(), LicenseCommand(), LuaStubCommand(),
        LuaDocsCommand(),
        OptionDocsCommand(), ErrorDocsCommand(),
    ]

    /// The program's arguments as they came, bytes that are not UTF-8 included.
    static func systemArguments() -> [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { argument in
                String(osBytes: UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
            }
        }
    }

    /// Runs a command line and gives the exit status.
    static func run(arguments: [String]) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        guard let verb = arguments.first else {
            Terminal.writeError(HelpPage.overview)
            return 2
        }
        do throws(MediaError) {
            switch verb {
            case "-h", "--help", "help":
                guard verb == "help", arguments.count > 1 else {
                    try Terminal.write(HelpPage.overview)
                    return 0
                }
                try Terminal.write(HelpPage.text(for: command(named: arguments[1])))
                return 0
            case "--version", "version":
                try Terminal.write("mediakit \(ToolkitVersion.current)\n")
                return 0
            default:
                return try run(command(named: verb), Array(arguments.dropFirst()))
            }
        } catch {
            report(error)
            return error.code.exitStatus
        }
    }

    private static func run(
        _ command: any Command, _ arguments: [String]
    ) throws(MediaError) -> Int32 {
        let line = try CommandLineParser(command).parse(arguments)
        if line.options.bool("help") {
            try Terminal.write(HelpPage.text(for: command))
            return 0
        }
        if let level = line.options.string("log_level").flatMap(Log.Level.init(rawValue:)) {
            Log.level = level
        }
        let least = command.operands.least
        if line.operands.count < least {
            throw MediaError(
                .badArgument,
                "\(command.name): \(command.operands.usage) is missing; "
                    + "see `mediakit \(command.name) --help`")
        }
        if let most = command.operands.most, line.operands.count > most {
            throw MediaError(
                .badArgument,
                "\(command.name): '\(line.operands[most].printable)' is one argument too many; "
                    + "see `mediakit \(command.name) --help`")
        }
        return try command.run(line)
    }

    private static func command(named name: String) throws(MediaError) -> any Command {
        if let command = commands.first(where: { $0.name == name }) { return command }
        let hint = Suggestion.sentence(for: name, among: commands.map(\.name))
        throw MediaError(
            .badArgument, "no command '\(name.printable)'\(hint); see `mediakit --help`")
    }

    /// Tells a person what failed; who pressed Ctrl-C knows.
    static func report(_ error: MediaError) {
        if error.code == .cancelled { return }
        Terminal.writeError("mediakit: \(error.message)\n")
    }
}
