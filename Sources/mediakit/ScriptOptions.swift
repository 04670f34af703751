// What `run` and `repl` let a script do, as options.

import Plugins
import Toolkit

enum ScriptOptions {
    static let all = [
        OptionSpec(
            "allow_read", .string, default: nil, unit: "PATHS",
            "Lets the script read these files and folders, with commas between; all without a value."
        ),
        OptionSpec(
            "allow_write", .string, default: nil, unit: "PATHS",
            "Lets the script write these files and folders; all without a value."),
        OptionSpec(
            "allow_net", .string, default: nil, unit: "HOSTS",
            "Lets the script reach these hosts; all without a value."),
        OptionSpec(
            "allow_run", .string, default: nil, unit: "PROGRAMS",
            "Lets the script run these programs; all without a value."),
        OptionSpec(
            "allow_plugins", .string, default: nil, unit: "PATHS",
            "Lets the script load these plugin files, or what is in these folders; all without a "
                + "value. Their code can do whatever this program may."),
        OptionSpec(
            "unsafe", .bool, default: .bool(false),
            "Opens the whole library of Lua to the script and checks nothing."),
        OptionSpec(
            "script_timeout", .double(0...86400), default: .double(10), unit: "s",
            "How long the script may compute without a pause; 0 for ever."),
        OptionSpec(
            "script_memory", .int(0...1_000_000), default: .int(512), unit: "MiB",
            "How much memory the script may use; 0 for any amount."),
        OptionSpec(
            "lua_path", .string, default: nil, unit: "FOLDER",
            "A further folder in which require looks, behind the script's own; may be repeated."),
    ]

    static let optionalValues: Set<String> = [
        "allow_read", "allow_write", "allow_net", "allow_run", "allow_plugins",
    ]

    /// - Parameter loader: loads plugin files for the script.
    static func configuration(
        _ line: ParsedLine, arguments: [String], loader: PluginLoader
    ) -> ScriptConfiguration {
        var configuration = ScriptConfiguration()
        configuration.arguments = arguments
        configuration.plugins = loader
        // What a user names, or keeps in a plugin folder, is loaded anyway.
        configuration.permissions.plugins = scope(line, "allow_plugins").adding(
            PluginFolders.standard(given: line.repeated["plugin"] ?? []).map(\.path))
        configuration.permissions.read = scope(line, "allow_read")
        configuration.permissions.write = scope(line, "allow_write")
        configuration.permissions.net = scope(line, "allow_net")
        configuration.permissions.run = scope(line, "allow_run")
        configuration.permissions.isUnsafe = line.options.bool("unsafe")
        configuration.limits = LuaState.Limits(
            time: MediaTime(seconds: line.options.double("script_timeout") ?? 10),
            memory: (line.options.int("script_memory") ?? 512) << 20)
        configuration.moduleFolders = line.repeated["lua_path"] ?? []
        configuration.version = ToolkitVersion.current
        return configuration
    }

    private static func scope(
        _ line: ParsedLine, _ name: String
    ) -> ScriptPermissions.Scope {
        line.options.string(name).map(ScriptPermissions.Scope.init(option:)) ?? .none
    }

    /// Writes what a script prints; false where nobody reads it any more.
    static func print(_ bytes: [UInt8]) -> Bool {
        do throws(MediaError) {
            try Terminal.write(bytes: bytes)
            return true
        } catch {
            Program.report(error)
            return false
        }
    }

    /// Tells what went wrong in a script.
    static func report(_ message: String) {
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
        let shown = lines.map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false)
                .map { String($0).printable }.joined(separator: "\t")
        }
        Terminal.writeError("mediakit: \(shown.joined(separator: "\n"))\n")
    }
}
