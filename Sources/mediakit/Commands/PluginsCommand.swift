// `mediakit plugins`: what is registered, of which kind, and whether it is on.

import Plugins
import Toolkit

struct PluginsCommand: Command {
    let name = "plugins"
    let summary = "Lists the plugins: sources, demuxers, codecs, muxers, filters and sinks."
    let discussion = """
        --check FILE loads a plugin file in a process of its own, uses each part of it on made-up
        input, and tells which step failed, crashed or hung. A developer may add --in-process to do
        that under a debugger.

        Example: mediakit plugins --check ./half.so
        """
    let operands = Operands(usage: "")
    let options = [CommonOptions.json] + PluginCheckRun.options

    func run(_ line: ParsedLine) throws(MediaError) -> Int32 {
        if let path = line.options.string("check") {
            return try PluginCheckRun(path, line).run()
        }
        let (registry, loader) = try line.plugins(initialising: false)
        if line.options.bool("json") {
            let plugins = registry.entries.map { entry in
                let info = entry.plugin.info
                var members: [JSON.Member] = [
                    .init("kind", .string(entry.kind.rawValue)), .init("name", .string(info.name)),
                    .init("version", .string(info.version)),
                    .init("rank", .int(Int64(entry.rank))),
                    .init("enabled", .bool(entry.isEnabled)),
                    .init("summary", .string(info.summary)),
                ]
                if let origin = entry.plugin.origin {
                    members.append(.init("file", .string(origin.path.printable)))
                    members.append(.init("license", .string(origin.license)))
                }
                members.append(
                    .init(
                        "options",
                        .array(
                            entry.plugin.options.map { spec in
                                .object([
                                    .init("name", .string(spec.name)),
                                    .init("values", .string(spec.domain)),
                                    .init("default", spec.defaultValue?.json ?? .null),
                                    .init("set", entry.options.given[spec.name]?.json ?? .null),
                                ])
                            })))
                return JSON.object(members)
            }
            try Terminal.write(
                .object([
                    .init("schema", .string("mediakit.plugins/1")),
                    .init("plugins", .array(plugins)),
                ]))
            return 0
        }
        for kind in PluginRegistry.Kind.allCases {
            let rows = registry.entries.filter { $0.kind == kind }.map { entry in
                let state = entry.isEnabled ? "" : " (off)"
                return (entry.plugin.info.name + state, entry.plugin.info.summary)
            }
            if !rows.isEmpty { try Terminal.write("\(kind.rawValue)s:\n" + HelpPage.table(rows)) }
        }
        let files = loader.loaded.map { origin in
            ("\(origin.name) \(origin.version)", "\(origin.path.printable) (\(origin.license))")
        }
        if !files.isEmpty { try Terminal.write("files:\n" + HelpPage.table(files)) }
        return 0
    }
}
