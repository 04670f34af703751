// `mediakit lua-stub`, `lua-docs`, `option-docs`, `error-docs`: pages printed from the tables.

import Plugins
import Toolkit

struct LuaStubCommand: Command {
    let name = "lua-stub"
    let summary = "Prints the Lua API for language servers, as LuaCATS annotations."
    let operands = Operands(usage: "")

    func run(_ line: ParsedLine) throws(MediaError) -> Int32 {
        try Terminal.write(ScriptAPI.stub)
        return 0
    }
}

struct LuaDocsCommand: Command {
    let name = "lua-docs"
    let summary = "Prints the reference of the Lua API as Markdown."
    let operands = Operands(usage: "")

    func run(_ line: ParsedLine) throws(MediaError) -> Int32 {
        try Terminal.write(ScriptAPI.reference)
        return 0
    }
}

struct OptionDocsCommand: Command {
    let name = "option-docs"
    let summary = "Prints the reference of all options as Markdown."
    let operands = Operands(usage: "")

    func run(_ line: ParsedLine) throws(MediaError) -> Int32 {
        let registry = try BuiltinPlugins.makeRegistry()
        var page = """
            <!-- Printed by `mediakit option-docs`; change the option tables, not this file. -->

            # Options

            Options marked * can be changed while playing.

            ## Filters

            Names that are not listed here are libavfilter's: `mediakit filters NAME` shows their
            options.

            """
        for plugin in registry.filters {
            page += "\n### \(plugin.info.name)\n\n\(plugin.info.summary)\n"
            page += Reference.table(plugin.options) { $0.name }
        }
        page += "\n## Command line\n\n`--no-name` switches off what is on by default.\n"
        page += "\n### every verb\n" + Reference.table(CommonOptions.all) { HelpPage.flag($0) }
        for command in Program.commands where !command.options.isEmpty {
            page += "\n### mediakit \(command.name)\n\n\(command.summary)\n"
            page += Reference.table(command.options) { HelpPage.flag($0) }
        }
        try Terminal.write(page)
        return 0
    }
}

struct ErrorDocsCommand: Command {
    let name = "error-docs"
    let summary = "Prints the reference of all error codes as Markdown."
    let operands = Operands(usage: "")

    func run(_ line: ParsedLine) throws(MediaError) -> Int32 {
        let rows = MediaError.Code.allCases.map { code in
            "| `\(code.rawValue)` | \(code.exitStatus) | \(code.meaning) |\n"
        }
        try Terminal.write(
            """
            <!-- Printed by `mediakit error-docs`; change the error table, not this file. -->

            # Error codes

            Lua calls that fail give `nil`, a message and one of these codes; the command line ends
            with the exit status beside it.

            | code | exit status | meaning |
            | --- | --- | --- |
            \(rows.joined())
            """)
        return 0
    }
}

private enum Reference {
    static func table(_ specs: [OptionSpec], name: (OptionSpec) -> String) -> String {
        if specs.isEmpty { return "" }
        let rows = specs.map { spec in
            let value = spec.defaultValue.map { "`\(HelpPage.shown($0))`" } ?? ""
            let domain = spec.domain.replacing("|", with: "\\|")
            return "| `\(name(spec))`\(spec.isLive ? " *" : "") | \(domain) | \(spec.unit) "
                + "| \(value) | \(spec.summary.replacing("|", with: "\\|")) |\n"
        }
        return "\n| option | values | unit | default | what it does |\n"
            + "| --- | --- | --- | --- | --- |\n" + rows.joined()
    }
}
