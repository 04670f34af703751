// Players: opening, moving, filters while playing.

internal import LuaRuntime
internal import MediaCore
internal import MediaModel
internal import Pipeline
internal import Playback

extension ScriptAPI {
    static let player = LuaFunction<ScriptContext>(
        "player", "Makes a player.",
        Param<OptionTable?>(
            "options", "Sink, clock, output, limits and filters.", type: "mk.PlayerOptions"),
        returns: [LuaParameter("player", type: "mk.Player", "The player; nothing is open yet.")],
        fails: [.invalidState, .notLicensed],
        example: """
            local player = mk.player{ clock = "free", sink = "null", filters = "volume@v=-3dB" }
            assert(player:open("synth:sine=duration=1"))
            player:play()
            assert(player:wait(10))
            player:close()
            """
    ) { (context, table) throws(MediaError) in
        guard context.players.count < ScriptPlayer.most else {
            throw MediaError(
                .invalidState, "\(ScriptPlayer.most) players are open; close one first")
        }
        let (options, sinkOptions) = try playerOptions(table, over: [:], context.setting)
        let player = try ScriptPlayer(options, sinkOptions: sinkOptions ?? [:], context)
        if let filters = table?["filters"] {
            do throws(MediaError) {
                try player.player.use(
                    try ChainArgument(value: filters).chain(context.setting))
            } catch {
                player.close()
                throw error.prefixed("option 'filters'")
            }
        }
        context.players[player.id] = player
        return player
    }

    /// The checked options of a table over those that hold already.
    private static func playerOptions(
        _ table: OptionTable?, over known: [String: OptionValue], _ setting: ScriptSetting
    ) throws(MediaError) -> (Options, sink: [String: OptionValue]?) {
        var values = known
        for (name, value) in try table?.plain(
            of: PlayerConfiguration.options, except: ["filters", "sink_options"]) ?? [:]
        {
            values[name] = value
        }
        let options = try Options(values, specs: PlayerConfiguration.options, owner: "player")
        let configuration = try PlayerConfiguration(options)
        let sinkPlugin = try setting.registry.sink(named: configuration.sink)
        try setting.permissions.output(
            configuration.settings, to: configuration.output,
            preset: sinkPlugin.container?.container, registry: setting.registry)
        guard let sink = table?["sink_options"] else {
            // Another sink does not get the old one's options.
            return (options, table?["sink"] == nil ? nil : [:])
        }
        guard case .table(let elements, let fields) = sink, elements.isEmpty else {
            throw MediaError(.badArgument, "option 'sink_options': options by name expected")
        }
        let sinkValues = try OptionTable(values: fields).plain()
        _ = try Options(sinkValues, specs: sinkPlugin.options, owner: configuration.sink)
        return (options, sinkValues)
    }

    /// With what a medium can't be opened.
    private static let openFailures: [MediaError.Code] = [
        .badArgument, .notFound, .permissionDenied, .inputFailed, .containerUnsupported,
        .containerMalformed, .noSuchStream, .decoderNotFound, .encoderNotFound, .encodeFailed,
        .filterFailed, .outputFailed, .diskFull, .notLicensed, .timedOut, .cancelled,
        .invalidState,
    ]

    static let playerClass = LuaClass<ScriptContext>(
        ScriptPlayer.self, "Plays one medium at a time into one sink; several can play at once.",
        close: { context, player in end(player, context) },
        opening + moving + asking + filtering + listening)

    private static let opening: [LuaFunction<ScriptContext>] = [
        LuaFunction(
            of: ScriptPlayer.self, "open", "Opens a medium and waits until its streams are known.",
            Param<String>("url", "A file, `-` for standard input, or `synth:` text."),
            returns: [LuaParameter("info", type: "mk.MediaInfo", "What the medium holds.")],
            fails: openFailures, waits: true,
            example: """
                local player = mk.player{ clock = "free" }
                print(assert(player:open("synth:sine=duration=1")).duration)
                """
        ) { (context, player, url) throws(MediaError) in
            try context.finish(try open(player, url, nil, context))
        },
        LuaFunction(
            of: ScriptPlayer.self, "open_async", "Opens a medium beside the script.",
            Param<String>("url", "A file, `-` for standard input, or `synth:` text."),
            Param<LuaCallback?>(
                "fn", "Is called with the facts, or with nil, a message and a code.",
                type: "fun(info?: mk.MediaInfo, message?: string, code?: mk.ErrorCode)"),
            returns: [LuaParameter("job", type: "mk.Job", "The work, to wait for or cancel.")],
            example: """
                local player = mk.player{ clock = "free" }
                player:open_async("synth:sine=duration=1", function(info, message)
                  print(info and "opened" or message)
                end)
                mk.run()
                """
        ) { (context, player, url, callback) throws(MediaError) in
            try open(player, url, callback, context)
        },
        LuaFunction(
            of: ScriptPlayer.self, "play", "Plays from where it is; after the end, from the start.",
            returns: [],
            example: """
                local player = mk.player{ clock = "free" }
                player:open("synth:sine=duration=1")
                player:play()
                player:wait(10)
                """
        ) { _, player in
            player.player.play()
            return LuaNothing()
        },
        LuaFunction(
            of: ScriptPlayer.self, "pause", "Holds playback.", returns: [],
            example: """
                local player = mk.player()
                player:open("synth:sine=duration=5")
                player:play()
                player:pause()
                assert(player:status() == "paused")
                """
        ) { _, player in
            player.player.pause()
            return LuaNothing()
        },
        LuaFunction(
            of: ScriptPlayer.self, "stop",
            "Ends the medium; an output that is not complete is dropped.", returns: [],
            example: """
                local player = mk.player()
                player:open("synth:sine=duration=5")
                player:stop()
                """
        ) { _, player in
            player.stop()
            return LuaNothing()
        },
        LuaFunction(
            of: ScriptPlayer.self, "close", "Ends the player for good.", returns: [], waits: true,
            example: "mk.player():close()"
        ) { context, player in
            end(player, context)
            return LuaNothing()
        },
        LuaFunction(
            of: ScriptPlayer.self, "wait",
            "Waits until playback has ended or was stopped; fails with what playback failed with, "
                + "and where nothing plays and nothing will start it.",
            Param<MediaTime?>("timeout", "The longest wait, in seconds; for ever if not given."),
            returns: LuaDone.described, fails: openFailures + [.decodeFailed], waits: true,
            example: """
                local player = mk.player{ clock = "free" }
                player:open("synth:sine=duration=1")
                player:play()
                assert(player:wait(10))
                """
        ) { (context, player, timeout) throws(MediaError) in
            let deadline = timeout.map { context.clock.now + $0 }
            var isOver = false
            let isDone = try context.pump(until: deadline) {
                isOver = player.isOver
                return isOver || (!player.isActive && !context.hasWork)
            }
            // It may have ended between the two looks.
            if isDone, !isOver, !player.isOver {
                throw MediaError(
                    .invalidState, "wait: the player is not playing, and nothing will start it")
            }
            if !isDone { throw MediaError(.timedOut, "wait: playback goes on") }
            try context.settle()
            // Not thrown: what playback failed with is never a wrong argument of this call.
            if case .failed(let error) = player.player.snapshot.state {
                return JobOutcome.failed(error)
            }
            return JobOutcome.results(LuaDone())
        },
    ]

    private static let moving: [LuaFunction<ScriptContext>] = [
        LuaFunction(
            of: ScriptPlayer.self, "seek", "Moves playback and waits until it goes on from there.",
            Param<MediaTime>("time", "Target, in seconds from the start."),
            Param<SeekPrecision?>("mode", "`keyframe` (when not given) or `exact`."),
            returns: [LuaParameter("position", type: "number", "Where it went on, in seconds.")],
            fails: [.badArgument, .invalidState, .inputFailed, .cancelled], waits: true,
            example: """
                local player = mk.player{ clock = "free" }
                player:open("synth:sine=duration=5")
                print(player:seek(2, "exact"))
                """
        ) { (context, player, time, mode) throws(MediaError) in
            let engine = player.player
            let job = context.start("seek") { (token, _) throws(MediaError) in
                try engine.seek(to: time, precision: mode ?? .keyframe, cancellation: token)
            }
            return try context.finish(job)
        },
        LuaFunction(
            of: ScriptPlayer.self, "select", "Plays another stream of a kind, or none of it.",
            Param<MediaKind>("kind", "What kind."),
            Param<Int?>("index", "The stream's index, from `tracks`; nil for none."),
            returns: LuaDone.described,
            fails: [.invalidState, .noSuchStream, .decoderNotFound, .notLicensed], waits: true,
            example: """
                local player = mk.player{ clock = "free" }
                player:open("synth:sine=duration=1")
                assert(player:select("audio", player:tracks()[1].index))
                """
        ) { (_, player, kind, index) throws(MediaError) in
            try player.player.select(kind, stream: index)
            return LuaDone()
        },
    ]

    private static let asking: [LuaFunction<ScriptContext>] = [
        question("state", "mk.PlayerState", "Tells what the engine is doing."),
        question("status", "mk.PlayerStatus", "Tells the public status."),
        question("position", "number", "Tells where playback is, in seconds."),
        question("duration", "number?", "Tells how long the medium lasts, in seconds."),
        question("tracks", "mk.Track[]", "Lists the streams that can be chosen."),
        question("filters", "mk.ChainFilter[]", "Lists the filters that sound passes."),
        question("info", "mk.MediaSummary?", "Tells what is known of the medium."),
        LuaFunction(
            of: ScriptPlayer.self, "get", "Tells the value of a property.",
            Param<String>("property", "Its name.", type: "mk.PlayerProperty"),
            returns: [LuaParameter("value", type: "any", "The value; nil where there is none.")],
            example: "assert(mk.player():get(\"status\") == \"idle\")"
        ) { (_, player, name) throws(MediaError) in
            Facts(try PlayerProperty.named(name).read(player.player.snapshot))
        },
        LuaFunction(
            of: ScriptPlayer.self, "config", "Tells how the player is set up.",
            returns: [
                LuaParameter(
                    "options", type: "mk.PlayerOptions",
                    "The options in force, without `filters` and `sink_options`.")
            ],
            example: "assert(mk.player{ clock = \"free\" }:config().clock == \"free\")"
        ) { _, player in
            Facts(
                .object(
                    PlayerConfiguration.options.compactMap { spec in
                        player.options[spec.name].map { .init(spec.name, $0.json) }
                    }))
        },
        LuaFunction(
            of: ScriptPlayer.self, "configure", "Sets options anew, while nothing is open.",
            Param<OptionTable>("options", "What changes.", type: "mk.PlayerOptions"),
            returns: LuaDone.described, fails: [.invalidState, .notLicensed], waits: true,
            example: """
                local player = mk.player()
                assert(player:configure{ clock = "free" })
                """
        ) { (context, player, table) throws(MediaError) in
            try configure(player, table, context)
        },
        LuaFunction(
            of: ScriptPlayer.self, "set_sink",
            "Chooses where frames end, while nothing is open: where `sink` is given, output, "
                + "container and encoders begin anew, and what the table leaves out is not set.",
            Param<OptionTable>(
                "options", "`sink`, `output`, and what the sink needs.", type: "mk.PlayerOptions"),
            returns: LuaDone.described, fails: [.invalidState, .notLicensed], waits: true,
            example: """
                local player = mk.player{ clock = "free" }
                assert(player:set_sink{ sink = "wav", output = "tone.wav" })
                player:open("synth:sine=duration=1")
                player:play()
                assert(player:wait(10))
                """
        ) { (context, player, table) throws(MediaError) in
            guard table["sink"] != nil else { return try configure(player, table, context) }
            let ends = ["output"] + OutputSettings.options.map(\.name)
            let kept = player.options.given.filter { !ends.contains($0.key) }
            return try configure(player, table, over: kept, context)
        },
    ]

    private static func question(
        _ name: String, _ type: String, _ summary: String
    ) -> LuaFunction<ScriptContext> {
        LuaFunction(
            of: ScriptPlayer.self, name, summary,
            returns: [LuaParameter(name, type: type, "The value now.")],
            example: "print(mk.player():\(name)())"
        ) { (_, player) throws(MediaError) in
            Facts(try PlayerProperty.named(name).read(player.player.snapshot))
        }
    }

    private static func configure(
        _ player: ScriptPlayer, _ table: OptionTable, over known: [String: OptionValue]? = nil,
        _ context: ScriptContext
    ) throws(MediaError) -> LuaDone {
        let (options, sinkOptions) = try playerOptions(
            table, over: known ?? player.options.given, context.setting)
        try player.configure(options, sinkOptions: sinkOptions, context)
        if let filters = table["filters"] {
            try player.player.use(try ChainArgument(value: filters).chain(context.setting))
        }
        return LuaDone()
    }

    private static func open(
        _ player: ScriptPlayer, _ url: String, _ callback: LuaCallback?, _ context: ScriptContext
    ) throws(MediaError) -> ScriptJob {
        guard !player.isClosed else { throw ScriptPlayer.closed }
        try context.setting.permissions.open(url)
        // Here, not on the job's thread: what the script calls next is about this medium.
        let opening = player.player.beginOpening(url)
        let job = context.start("open \(url.printable)", then: callback) {
            (_, _) throws(MediaError) in Facts(try opening.wait().json)
        }
        job.token.onCancel { opening.cancel() }
        player.opening = job
        return job
    }

    private static func end(_ player: ScriptPlayer, _ context: ScriptContext) {
        player.close()
        context.players[player.id] = nil
        for (number, observation) in context.observations where observation.player === player {
            observation.end()
            context.observations[number] = nil
        }
    }
}
