// `mediakit plugins`: what is registered, of which kind, and whether it is on.

import Plugins
import Toolkit

struct PluginsCommand: Command {
    let name = "plugins"
    let summary = "Lists the plugins: sources, demuxers, codecs, muxers, filters and sinks."
    let operands = Operands(usage: "")
    let options = [CommonOptions.json]

    func run(_ line: ParsedLine) throws(MediaError) -> Int32 {
        let list = try BuiltinPlugins.makeRegistry().list
        if line.options.bool("json") {
            let plugins = list.map { kind, plugin, isEnabled in
                JSON.object([
                    .init("kind", .string(kind.rawValue)), .init("name", .string(plugin.info.name)),
                    .init("version", .string(plugin.info.version)),
                    .init("rank", .int(Int64(plugin.info.rank))),
                    .init("enabled", .bool(isEnabled)),
                    .init("summary", .string(plugin.info.summary)),
                ])
            }
            try Terminal.write(
                .object([
                    .init("schema", .string("mediakit.plugins/1")),
                    .init("plugins", .array(plugins)),
                ]))
            return 0
        }
        for kind in PluginRegistry.Kind.allCases {
            let rows = list.filter { $0.kind == kind }.map { entry in
                let state = entry.isEnabled ? "" : " (off)"
                return (entry.plugin.info.name + state, entry.plugin.info.summary)
            }
            if !rows.isEmpty { try Terminal.write("\(kind.rawValue)s:\n" + HelpPage.table(rows)) }
        }
        return 0
    }
}
