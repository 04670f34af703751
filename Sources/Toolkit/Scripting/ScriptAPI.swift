// The whole API of scripts in one table, and what is printed from it.

internal import Batch
internal import LuaRuntime
internal import MediaCore
internal import MediaModel
internal import Playback

/// Everything that scripts can use.
public enum ScriptAPI {
    static let table = LuaAPI<ScriptContext>(
        modules: [root, log, json, filters, plugins, license],
        classes: [
            playerClass, chainClass, jobClass, timerClass, subscriptionClass, hookClass, nullClass,
        ],
        records: playerRecords + mediaRecords + filterRecords + pluginRecords + batchRecords
            + licenseRecords,
        enums: [
            LuaEnumDescription(
                name: "mk.ErrorCode", summary: "What kind of failure; see `docs/errors.gen.md`.",
                words: MediaError.Code.allCases.map(\.rawValue)),
            LuaEnumDescription(
                name: "mk.PlayerEventName", summary: "The events of a player.",
                words: PlayerEvent.table.map(\.name)),
            LuaEnumDescription(
                name: "mk.PlayerProperty", summary: "What can be read and observed of a player.",
                words: PlayerProperty.table.map(\.name)),
            LuaEnumDescription(
                name: "mk.PlayerState", summary: "What the engine of a player is doing.",
                words: ["idle", "opening", "buffering", "ready", "ended", "failed"]),
            LuaEnumDescription(
                name: "mk.PlayerStatus", summary: "The public status of a player.",
                words: PlayerStatus.allCases.map(\.rawValue)),
            LuaEnumDescription(
                name: "mk.BatchStatus", summary: "How a file of a batch ended.",
                words: BatchResult.Status.allCases.map(\.rawValue)),
            LuaEnumDescription(
                name: "mk.PremiumFeature", summary: "What a license can be asked for.",
                words: PremiumFeature.allCases.map(\.name)),
            LuaEnumDescription(PlayerHook.self), LuaEnumDescription(MediaKind.self),
            LuaEnumDescription(SeekPrecision.self), LuaEnumDescription(PluginRegistry.Kind.self),
            LuaEnumDescription(JSONStyle.self),
        ])

    /// The API as LuaCATS annotations, for editors: `scripts/meta/mediakit.gen.lua`.
    public static var stub: String { LuaStubPrinter.print(table, module: "mediakit", value: "mk") }

    /// The API as a reference in Markdown: `docs/lua-api.gen.md`.
    public static var reference: String {
        LuaDocPrinter.print(
            table, title: "The Lua API", introduction: introduction + "\n\n" + playerTables)
    }

    /// The events and properties of players, from their own tables.
    private static var playerTables: String {
        func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
        var lines = ["## Events of a player", ""]
        lines += [
            "Heard with `player:on(name, fn)`. A number in brackets is the event's code in the player "
                + "SDKs that have an event of this name; scripts need none.", "",
        ]
        lines += [row(["event", "fields", "when"]), row(["---", "---", "---"])]
        lines += PlayerEvent.table.map { event in
            row([
                "`\(event.name)`", event.fields.map { "`\($0)`" }.joined(separator: ", "),
                event.summary,
            ])
        }
        lines += ["", "## Properties of a player", ""]
        lines += ["Read with `player:get(name)`, watched with `player:observe(name, fn)`.", ""]
        lines += [row(["property", "type", "what it is"]), row(["---", "---", "---"])]
        lines += PlayerProperty.table.map { property in
            row(["`\(property.name)`", "`\(property.type)`", property.summary])
        }
        lines += ["", "## Hooks of a player", "", "Set with `player:hook(name, fn)`.", ""]
        lines += [row(["hook", "when"]), row(["---", "---"])]
        lines += PlayerHook.allCases.map { row(["`\($0.rawValue)`", $0.summary]) }
        return lines.joined(separator: "\n")
    }

    private static let introduction = """
        Scripts are Lua 5.4. `mediakit run SCRIPT.lua [ARGS…]` runs one, `mediakit run -` reads it
        from standard input, `mediakit repl` takes lines. The API is the global `mk`, also what
        `require "mediakit"` gives.

        **Times** are seconds, **words** are strings, **paths** may hold any bytes.

        **Errors.** A wrong argument raises: `bad argument #1 to 'seek' (number expected, got
        string)`. An operation that fails gives `nil, message, code`, so that `assert` shows the
        message; one that has nothing else to give returns `true`. An error that nothing catches, in
        a callback too, ends the script with file, line and traceback and exit status 2.

        **Waiting.** Callbacks run only while the script waits: in `mk.run`, `mk.wait`,
        `player:wait` and every function marked so. Code that runs longer than `--script-timeout`
        (10 s) without waiting is stopped.

        **Containment.** Scripts have no files, programs, environment, debug library, C modules,
        bytecode or finalizers. `require` looks in the script's folder and those of `--lua-path`.
        Files named as arguments may be read and written; `--allow-read`, `--allow-write`,
        `--allow-net` and `--allow-run` grant more, each for everything or for `=NAMES`. A grant to
        write a file covers the temporary file beside it and a batch's journal. Options of encoders
        that are not known to be harmless, options of containers and containers of several files
        need `--allow-write` for everything, pictures in files of their own that of their folder.
        `--allow-plugins` lets the script load plugin files, which run with the program's own rights;
        what `--plugin` and the plugin folders name is allowed without it. `--unsafe` opens Lua's
        whole library and checks nothing.
        """
}
