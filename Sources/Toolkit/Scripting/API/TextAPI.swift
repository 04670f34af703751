// Log lines and JSON.

internal import LuaRuntime
internal import MediaCore

extension ScriptAPI {
    static let log = LuaModule<ScriptContext>(
        "mk.log", "Lines for people on standard error, shown from `--log-level` on.",
        [
            line("error", .error, "Says what failed."),
            line("warning", .warning, "Says what a user should know though work goes on."),
            line("info", .info, "Says what was done."),
            line("debug", .debug, "Says what a developer wants to see."),
        ])

    private static func line(
        _ name: String, _ level: Log.Level, _ summary: String
    ) -> LuaFunction<ScriptContext> {
        LuaFunction(
            name, summary,
            Param<LuaVariadic>("...", "Values, shown with a blank between them; tables as JSON."),
            returns: [], example: "mk.log.\(name)(\"took\", 1.5, \"s\")"
        ) { context, values in
            Log.write(
                level, context.setting.name,
                values.values.map { $0.logText.printable }.joined(separator: " "))
            return LuaNothing()
        }
    }

    static let json = LuaModule<ScriptContext>(
        "mk.json", "JSON as text and as values.",
        constants: [
            LuaConstant("null", "What null is in Lua; nil would leave a hole.") { $0.null }
        ],
        [
            LuaFunction(
                "encode",
                "Writes a value as JSON; an empty table becomes an object, an infinite number null.",
                Param<LuaValue>("value", "A list, a table with names, or a plain value."),
                Param<JSONStyle?>("style", "How it is laid out; `compact` when not given."),
                returns: [LuaParameter("text", type: "string", "The JSON.")],
                example: """
                    assert(mk.json.encode({ a = { 1, 2 } }) == '{"a":[1,2]}')
                    """
            ) { (_, value, style) throws(MediaError) in
                let json = try value.json()
                return style == .pretty ? json.pretty : json.description
            },
            LuaFunction(
                "decode", "Reads JSON; null becomes `mk.json.null`.",
                Param<String>("text", "The JSON."),
                returns: [LuaParameter("value", type: "any", "What it says.")],
                example: """
                    local value = mk.json.decode('{"a":[1,null]}')
                    assert(value.a[2] == mk.json.null)
                    """
            ) { (context, text) throws(MediaError) in
                let bytes = text.osBytes
                // Each value of a small text costs a hundred times its bytes.
                guard bytes.count(where: { ",:[{".utf8.contains($0) }) < 1_000_000 else {
                    throw MediaError(.badArgument, "the JSON holds more than can be passed at once")
                }
                return LuaValue(try JSON(parsing: bytes), null: .object(context.null))
            },
        ])

    static let nullClass = LuaClass<ScriptContext>(
        JSONNull.self, "The one value `mk.json.null`.", [])
}

/// How JSON is laid out.
enum JSONStyle: String, LuaEnum {
    case compact
    case pretty

    static let luaName = "mk.json.Style"
    static let luaSummary = "How JSON is laid out: on one line, or indented over several."
}
