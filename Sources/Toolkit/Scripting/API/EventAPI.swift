// What players tell: events, observed properties, hooks.

internal import LuaRuntime
internal import MediaCore
internal import Playback

extension ScriptAPI {
    static let listening: [LuaFunction<ScriptContext>] = [
        LuaFunction(
            of: ScriptPlayer.self, "on", "Calls a function at each event of a name.",
            Param<String>("event", "Which events.", type: "mk.PlayerEventName"),
            Param<LuaCallback>("fn", "The function.", type: "fun(event: mk.PlayerEvent)"),
            returns: [
                LuaParameter("subscription", type: "mk.Subscription", "Ends the calls.")
            ],
            fails: [.invalidState],
            example: """
                local player = mk.player{ clock = "free" }
                player:on("ended", function(event) print(event.name) end)
                player:open("synth:sine=duration=1")
                player:play()
                mk.run()
                """
        ) { (context, player, event, callback) throws(MediaError) in
            guard !player.isClosed else { throw ScriptPlayer.closed }
            let names = PlayerEvent.table.map(\.name)
            guard names.contains(event) else {
                let hint = Suggestion.sentence(for: event, among: names)
                throw MediaError(.badArgument, "no player event '\(event.printable)'\(hint)")
            }
            return player.on(event, callback, context)
        },
        LuaFunction(
            of: ScriptPlayer.self, "observe",
            "Calls a function with a property's value, at first and after each change.",
            Param<String>("property", "Its name.", type: "mk.PlayerProperty"),
            Param<LuaCallback>(
                "fn", "The function; changes while the script is busy are one.",
                type: "fun(value: any, property: mk.PlayerProperty)"),
            returns: [
                LuaParameter("subscription", type: "mk.Subscription", "Ends the calls.")
            ],
            fails: [.invalidState],
            example: """
                local player = mk.player{ clock = "free" }
                player:observe("status", function(status) print(status) end)
                player:open("synth:sine=duration=1")
                player:play()
                player:wait(10)
                """
        ) { (context, player, property, callback) throws(MediaError) in
            guard !player.isClosed else { throw ScriptPlayer.closed }
            let observation = ScriptObservation(context.number(), property, of: player, callback)
            try observation.begin(on: player.player, context.mailbox)
            context.observations[observation.number] = observation
            return Subscription { [weak context] in
                observation.end()
                context?.observations[observation.number] = nil
            }
        },
        LuaFunction(
            of: ScriptPlayer.self, "unobserve", "Ends all observations of a property.",
            Param<String>("property", "Its name.", type: "mk.PlayerProperty"), returns: [],
            example: """
                local player = mk.player()
                player:observe("position", function() end)
                player:unobserve("position")
                """
        ) { (context, player, property) throws(MediaError) in
            _ = try PlayerProperty.named(property)
            for (number, observation) in context.observations
            where observation.player === player && observation.property == property {
                observation.end()
                context.observations[number] = nil
            }
            return LuaNothing()
        },
        LuaFunction(
            of: ScriptPlayer.self, "hook",
            "Calls a function that the player waits for. What is opened must be granted by its first "
                + "name too, so made-up names begin with `synth:`.",
            Param<PlayerHook>("hook", "When."),
            Param<LuaCallback>("fn", "The function.", type: "fun(hook: mk.Hook)"),
            returns: LuaDone.described, fails: [.invalidState],
            example: """
                local player = mk.player{ clock = "free" }
                player:hook("before_open", function(hook)
                  if hook.url == "synth:tone" then hook.url = "synth:sine=duration=1" end
                end)
                player:hook("open_failed", function(hook) print(hook.error) end)
                """
        ) { (_, player, hook, callback) throws(MediaError) in
            guard !player.isClosed else { throw ScriptPlayer.closed }
            player.add(hook, callback)
            return LuaDone()
        },
    ]

    static let hookClass = LuaClass<ScriptContext>(
        ScriptHook.self, "One stop at a hook; the player goes on when the function returns.",
        properties: [
            LuaProperty(
                of: ScriptHook.self, "url", "What is opened next; a change puts another in place.",
                get: { _, hook in hook.url },
                set: { (context, hook, url: String) throws(MediaError) in
                    try context.setting.permissions.open(url)
                    hook.changed = url
                }),
            LuaProperty(
                of: ScriptHook.self, "name", "Which hook.",
                get: { _, hook in hook.request.hook }),
            LuaProperty(
                of: ScriptHook.self, "codec",
                "FFmpeg's name of the codec that is to blame; nil but at `backup_url`.",
                get: { _, hook in hook.request.codec }),
            LuaProperty(
                of: ScriptHook.self, "error",
                "Why opening failed, or another URL is wanted; nil at `before_open`.",
                get: { _, hook in hook.request.error?.message }),
            LuaProperty(
                of: ScriptHook.self, "code", "What kind of failure; nil at `before_open`.",
                get: { _, hook in hook.request.error?.code.rawValue }),
        ],
        [
            LuaFunction(
                of: ScriptHook.self, "defer",
                "Holds the player up beyond the function's end, until `cont`.", returns: [],
                example: """
                    local player = mk.player{ clock = "free" }
                    player:hook("before_open", function(hook)
                      hook:defer()
                      mk.after(0.01, function() hook:cont() end)
                    end)
                    assert(player:open("synth:sine=duration=1"))
                    """
            ) { _, hook in
                hook.putOff()
                return LuaNothing()
            },
            LuaFunction(
                of: ScriptHook.self, "cont", "Lets the player go on.", returns: [],
                example: """
                    local player = mk.player()
                    player:hook("before_open", function(hook) hook:cont() end)
                    """
            ) { _, hook in
                hook.proceed()
                return LuaNothing()
            },
        ])

    static let playerRecords: [LuaRecordDescription] = [
        LuaRecordDescription(
            name: "mk.PlayerOptions", summary: "How a player is set up.",
            options: PlayerConfiguration.options,
            more: [
                .init(
                    "filters", type: ChainArgument.luaType, optional: true,
                    "What sound passes from the beginning."),
                .init(
                    "sink_options", type: "table<string, boolean|number|string>", optional: true,
                    "Options of the sink itself."),
            ]),
        LuaRecordDescription(
            name: "mk.PlayerEvent",
            summary: "What a listener gets; which fields there are depends on the name.",
            fields: [
                .init("name", type: "mk.PlayerEventName", "Which event."),
                .init("player", type: "mk.Player", "Whose event."),
            ]
                + eventFields.map { field in
                    .init(
                        field.name, type: field.type, optional: true,
                        "\(field.summary) (`\(eventsWith(field.name).joined(separator: "`, `"))`)")
                }),
        LuaRecordDescription(
            name: "mk.Track", summary: "A stream that can be chosen.",
            fields: [
                .init("index", type: "integer", "Its place in the container, from 0."),
                .init("kind", type: "mk.MediaKind", "What it carries."),
                .init("codec", type: "string", "FFmpeg's name of the codec."),
                .init(
                    "decoder", type: "mk.DecoderChoice", optional: true,
                    "What decodes it, and why; nil where it does not play."),
                .init("language", type: "string", optional: true, "Its language tag."),
                .init("selected", type: "boolean", "Whether it plays."),
            ]),
        LuaRecordDescription(
            name: "mk.MediaSummary", summary: "A medium in short.",
            fields: [
                .init("url", type: "string", "Where it came from."),
                .init("container", type: "string", "FFmpeg's short name of the container."),
                .init("duration", type: "number", optional: true, "How long it lasts, in seconds."),
                .init("seekable", type: "boolean", "Whether it can be sought in."),
                .init("bit_rate", type: "integer", optional: true, "Bits a second over all."),
                .init("size", type: "integer", optional: true, "Size in bytes."),
                .init("metadata", type: "table<string, string>", "Metadata of the whole."),
                .init(
                    "streams", type: "table[]", "The streams: index, kind, codec, decoder, format."),
            ]),
    ]

    /// The fields of all events, with their types.
    static let eventFields: [(name: String, type: String, summary: String)] = [
        ("state", "mk.PlayerState", "The engine's state."),
        ("status", "mk.PlayerStatus", "The public status."),
        ("info", "mk.MediaSummary", "The medium."),
        ("position", "number", "Where playback is, in seconds."),
        ("message", "string", "What happened."),
        ("label", "string", "The filter's label."),
        ("reasons", "string[]", "One reason an option."),
        ("code", "mk.ErrorCode", "What kind of failure."),
        ("stream", "integer", "The stream's index."),
        ("format", "string", "The format of sound."),
        ("kind", "mk.MediaKind", "What kind of stream."),
        ("codec", "string", "FFmpeg's name of the codec."),
        ("decoder", "mk.DecoderChoice", "What decodes the stream now, and why."),
        ("url", "string", "What was played, or was to be."),
        ("backup", "string", "What is played in its place."),
        ("device", "string", "The kind of device: `vaapi`, `cuda`, …."),
    ]

    private static func eventsWith(_ field: String) -> [String] {
        PlayerEvent.table.filter { $0.fields.contains(field) }.map(\.name)
    }
}
