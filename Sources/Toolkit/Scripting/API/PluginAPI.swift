// Plugins: what there is, files that come and go, what is preferred and what is off.

internal import LuaRuntime
internal import MediaCore
internal import MediaModel

extension ScriptAPI {
    static let plugins = LuaModule<ScriptContext>(
        "mk.plugins",
        "What the program can read, decode, filter, encode and write with. Changes hold for what is "
            + "opened or made from then on: what plays goes on as it is.",
        [
            LuaFunction(
                "list", "Lists all plugins.",
                returns: [LuaParameter("plugins", type: "mk.PluginSummary[]", "The plugins.")],
                example: """
                    for _, plugin in ipairs(mk.plugins.list()) do
                      if plugin.kind == "decoder" then print(plugin.name, plugin.rank) end
                    end
                    """
            ) { context in
                context.setting.registry.entries.map { PluginSummary($0) }
            },
            LuaFunction(
                "describe", "Tells the options of a plugin.",
                Param<PluginRegistry.Kind>("kind", "What kind of plugin."),
                Param<String>("name", "Its name."),
                returns: [
                    LuaParameter("options", type: "mk.OptionInfo[]", "The options, in order.")
                ], fails: [.notFound],
                example: """
                    local options = assert(mk.plugins.describe("filter", "audioEnhance"))
                    for _, option in ipairs(options) do
                      print(option.name, option.values)
                    end
                    """
            ) { (context, kind, name) throws(MediaError) in
                do throws(MediaError) {
                    return try context.setting.registry.plugin(kind, name).options.map {
                        OptionInfo($0)
                    }
                } catch {
                    // As `mk.filters.describe`: to ask is no mistake.
                    throw MediaError(.notFound, error.message)
                }
            },
            LuaFunction(
                "load",
                "Loads a plugin file and registers all that it holds; once is enough. It runs with "
                    + "the program's own rights: the command line must allow it (`--allow-plugins`, "
                    + "`--plugin`, a plugin folder).",
                Param<String>("path", "The file."),
                returns: [
                    LuaParameter("file", type: "mk.PluginFile", "What the file says of itself.")
                ],
                fails: [
                    .notFound, .permissionDenied, .pluginUnusable, .pluginConflict, .invalidState,
                ],
                waits: true,
                example: """
                    local ok, why = pcall(mk.plugins.load, "nowhere.so")
                    assert(not ok and why:find("--allow-plugins=nowhere.so", 1, true))
                    """
            ) { (context, path) throws(MediaError) in
                try context.setting.permissions.plugin(path)
                return PluginFile(try pluginFiles(context).load(path))
            },
            LuaFunction(
                "unload",
                "Takes a loaded file out: nothing is made of it any more, and it leaves memory when "
                    + "the last that was made of it is gone.",
                Param<String>("name", "What the file calls itself, or its path."),
                returns: [
                    LuaParameter(
                        "result", type: "\"done\"|\"deferred\"",
                        "`deferred` while something of it is in use.")
                ], fails: [.invalidState], waits: true,
                example: """
                    local ok, why = pcall(mk.plugins.unload, "nothing")
                    assert(not ok and why:find("no loaded plugin 'nothing'", 1, true))
                    """
            ) { (context, name) throws(MediaError) in
                try pluginFiles(context).unload(name).rawValue
            },
            LuaFunction(
                "files", "Lists the plugin files that are loaded.",
                returns: [LuaParameter("files", type: "mk.PluginFile[]", "In order of loading.")],
                example: "for _, file in ipairs(mk.plugins.files()) do print(file.path) end"
            ) { context in
                (context.setting.plugins?.loaded ?? []).map { PluginFile($0) }
            },
            LuaFunction(
                "enable", "Switches a plugin on or off; what is off is never chosen.",
                Param<PluginRegistry.Kind>("kind", "What kind of plugin."),
                Param<String>("name", "Its name."), Param<Bool>("enabled", "Whether it is on."),
                returns: [],
                example: """
                    local sink = "framemd5"
                    mk.plugins.enable("sink", sink, false)
                    mk.plugins.enable("sink", sink, true)
                    """
            ) { (context, kind, name, isEnabled) throws(MediaError) in
                try context.setting.registry.setEnabled(kind, name, isEnabled)
                return LuaNothing()
            },
            LuaFunction(
                "rank", "Changes which plugin is preferred where several fit.",
                Param<PluginRegistry.Kind>("kind", "What kind of plugin."),
                Param<String>("name", "Its name."),
                Param<Int>("rank", "Higher is taken first; built-in ones have 0."), returns: [],
                example: "mk.plugins.rank(\"decoder\", \"libav\", 10)"
            ) { (context, kind, name, rank) throws(MediaError) in
                try context.setting.registry.setRank(kind, name, rank)
                return LuaNothing()
            },
            LuaFunction(
                "enable_codec",
                "Allows or forbids a codec, whatever plugin decodes it; all are allowed at first.",
                Param<String>(
                    "codec", "Its name: `vvc`, `hevc` or `h265`, `aac`, or that of a plugin's own."),
                Param<Bool>("enabled", "Whether it may be decoded."), returns: [],
                example: """
                    mk.plugins.enable_codec("vvc", false)
                    mk.plugins.enable_codec("vvc", true)
                    """
            ) { (context, codec, isEnabled) throws(MediaError) in
                try context.setting.registry.setCodecEnabled(codec, isEnabled)
                return LuaNothing()
            },
            LuaFunction(
                "set_options",
                "Sets options of a demuxer or a decoder, for what is opened from then on; the "
                    + "others keep their values.",
                Param<PluginRegistry.Kind>("kind", "`demuxer` or `decoder`."),
                Param<String>("name", "Its name."),
                Param<OptionTable>(
                    "options", "Values by name; `describe` lists them.",
                    type: "table<string, boolean|number|string>"), returns: [],
                example: """
                    local ok, why = pcall(mk.plugins.set_options, "decoder", "libav", { speed = 2 })
                    assert(not ok and why:find("no option 'speed'", 1, true))
                    """
            ) { (context, kind, name, table) throws(MediaError) in
                try context.setting.registry.setOptions(kind, name, try table.plain())
                return LuaNothing()
            },
        ])

    static let pluginRecords = [PluginSummary.luaDescription, PluginFile.luaDescription]

    private static func pluginFiles(
        _ context: ScriptContext
    ) throws(MediaError) -> any PluginFiles {
        if let files = context.setting.plugins { return files }
        throw MediaError(.invalidState, "this program loads no plugin files")
    }
}

/// One plugin of the list.
struct PluginSummary: LuaFacts {
    let kind: PluginRegistry.Kind
    let name: String
    let version: String
    let rank: Int
    let isEnabled: Bool
    let file: String?
    let summary: String

    init(_ entry: PluginRegistry.Entry) {
        kind = entry.kind
        name = entry.plugin.info.name
        version = entry.plugin.info.version
        rank = entry.rank
        isEnabled = entry.isEnabled
        file = entry.plugin.origin?.path
        summary = entry.plugin.info.summary
    }

    static let luaName = "mk.PluginSummary"
    static let luaSummary = "A plugin of the program."
    static let luaFields: [LuaFact<PluginSummary>] = [
        LuaFact("kind", \.kind, "What kind of plugin."),
        LuaFact("name", \.name, "Its name."),
        LuaFact("version", \.version, "The version of the code behind it."),
        LuaFact("rank", \.rank, "Higher wins where several fit."),
        LuaFact("enabled", \.isEnabled, "Whether it is on."),
        LuaFact("file", \.file, "The file it was loaded from; nil for what is built in."),
        LuaFact("summary", \.summary, "What it does."),
    ]
}

/// One loaded file.
struct PluginFile: LuaFacts {
    let origin: PluginOrigin

    init(_ origin: PluginOrigin) { self.origin = origin }

    static let luaName = "mk.PluginFile"
    static let luaSummary = "A plugin file, which may hold several plugins."
    static let luaFields: [LuaFact<PluginFile>] = [
        LuaFact("path", \.origin.path, "Its absolute path."),
        LuaFact("name", \.origin.name, "What it calls itself, for `unload`."),
        LuaFact("version", \.origin.version, "Its version."),
        LuaFact("license", \.origin.license, "Its licence, as an SPDX expression."),
        LuaFact("summary", \.origin.summary, "What it brings."),
    ]
}
