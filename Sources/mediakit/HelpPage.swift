// Help texts, printed from the tables of verbs and options.

import Toolkit

enum HelpPage {
    /// The page of the program.
    static var overview: String {
        let width = Program.commands.map(\.name.count).max() ?? 0
        let verbs = Program.commands.map { command in
            "  \(padded(command.name, width))  \(command.summary)\n"
        }
        return """
            mediakit \(ToolkitVersion.current): a scriptable media toolkit

            Usage: mediakit VERB [OPTIONS] …

            \(verbs.joined())
            `mediakit VERB --help`, or `mediakit help VERB`, explains a verb; `mediakit --version`
            tells the version. Options stand before or behind what they are about, as `--name value`
            or `--name=value`; `--no-name` switches off what is on by default; `--` ends them.
            Exit status: 0 done, 1 some items or the output failed, 2 usage or script error,
            3 input can't be read, 4 network or credentials, 5 not licensed, 130 interrupted.

            """
    }

    /// The page of a verb.
    static func text(for command: any Command) -> String {
        var text = "Usage: mediakit \(command.name) [OPTIONS] \(command.operands.usage)\n\n"
        text += "\(command.summary)\n"
        if !command.discussion.isEmpty { text += "\n\(command.discussion)\n" }
        let rows = command.allOptions.map { spec in (usage(spec, of: command), sentence(spec)) }
        return text + "\nOptions:\n" + table(rows)
    }

    /// An option as it is written: `--log-level`.
    static func flag(_ spec: OptionSpec) -> String { "--" + spec.name.replacing("_", with: "-") }

    /// Rows of two columns, the right one broken at 100 columns; a long left one gets its own line.
    static func table(_ rows: [(String, String)]) -> String {
        let width = min(32, rows.map(\.0.count).max() ?? 0)
        let indent = "\n" + padded("", width + 4)
        return rows.map { left, right in
            let start = left.count <= width ? padded(left, width + 2) : left + indent
            return "  " + start + lines(right, width: 96 - width).joined(separator: indent) + "\n"
        }.joined()
    }

    private static func lines(_ text: String, width: Int) -> [String] {
        var lines: [String] = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    /// What an option does, its unit and its default.
    static func sentence(_ spec: OptionSpec) -> String {
        var text = spec.summary
        let hasDefault = spec.kind != .bool || spec.defaultValue == .bool(true)
        if let value = spec.defaultValue, hasDefault, value != .string("") {
            text += " Default: \(shown(value))\(spec.unit.isEmpty ? "" : " \(spec.unit)")."
        }
        return text
    }

    /// A value as a user writes it.
    static func shown(_ value: OptionValue) -> String {
        if case .bool(let isOn) = value { isOn ? "yes" : "no" } else { value.description }
    }

    private static func usage(_ spec: OptionSpec, of command: any Command) -> String {
        switch spec.kind {
        case .bool where spec.defaultValue == .bool(true):
            flag(spec).replacing("--", with: "--[no-]", maxReplacements: 1)
        case .bool: flag(spec)
        case .string where command.optionalValues.contains(spec.name):
            "\(flag(spec))[=\(spec.unit)]"
        case .string: "\(flag(spec)) \(spec.unit.isEmpty ? "TEXT" : spec.unit)"
        default: "\(flag(spec)) \(spec.domain)\(spec.unit.isEmpty ? "" : " \(spec.unit)")"
        }
    }

    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
