// The filters of a player, changed while it plays.

internal import LuaRuntime
internal import MediaCore
internal import MediaModel
internal import Playback

extension ScriptAPI {
    static let filtering: [LuaFunction<ScriptContext>] = [
        LuaFunction(
            of: ScriptPlayer.self, "use",
            "Puts another chain in place of the filters; what is equal keeps running.",
            Param<ChainArgument>("chain", "The chain; an empty list for none."),
            returns: LuaDone.described, fails: [.invalidState, .filterFailed, .notLicensed],
            waits: true,
            example: """
                local player = mk.player{ clock = "free" }
                assert(player:use(mk.chain("volume@v=-3dB")))
                """
        ) { (context, player, argument) throws(MediaError) in
            try player.player.use(try argument.chain(context.setting))
            return LuaDone()
        },
        LuaFunction(
            of: ScriptPlayer.self, "add_filter", "Adds a filter behind the others.",
            Param<ChainArgument>("filter", "One filter.", type: "string|mk.Chain|mk.ChainElement"),
            Param<String?>("label", "Its label; the one it brings when not given."),
            returns: LuaDone.described, fails: [.invalidState, .filterFailed, .notLicensed],
            waits: true,
            example: """
                local player = mk.player{ clock = "free" }
                assert(player:add_filter("volume=-3dB", "trim"))
                assert(player:filters()[1].label == "trim")
                """
        ) { (context, player, argument, label) throws(MediaError) in
            var filter = try argument.filter(context.setting)
            if let label { filter.label = label }
            try player.player.add(filter)
            return LuaDone()
        },
        LuaFunction(
            of: ScriptPlayer.self, "remove_filter", "Takes a filter out.",
            Param<String>(
                "label", "Its label, or the name of a filter that is no libavfilter text."),
            returns: LuaDone.described, fails: [.invalidState, .filterFailed], waits: true,
            example: """
                local player = mk.player{ filters = "volume@trim=-3dB" }
                assert(player:remove_filter("trim"))
                """
        ) { (_, player, label) throws(MediaError) in
            try player.player.remove(label)
            return LuaDone()
        },
        LuaFunction(
            of: ScriptPlayer.self, "enable_filter", "Lets sound pass a filter, or go past it.",
            Param<String>(
                "label", "Its label, or the name of a filter that is no libavfilter text."),
            Param<Bool>("enabled", "Whether sound goes through it."),
            returns: LuaDone.described, fails: [.invalidState, .filterFailed, .notLicensed],
            waits: true,
            example: """
                local player = mk.player{ filters = "volume@trim=-3dB" }
                assert(player:enable_filter("trim", false))
                """
        ) { (_, player, label, isEnabled) throws(MediaError) in
            try player.player.setEnabled(label, isEnabled)
            return LuaDone()
        },
        LuaFunction(
            of: ScriptPlayer.self, "update_filter",
            "Changes options of a filter; what can't change while playing is said by an event.",
            Param<String>(
                "label", "Its label, or the name of a filter that is no libavfilter text."),
            Param<OptionTable>(
                "options", "What changes.", type: "table<string, boolean|number|string>"),
            returns: LuaDone.described, fails: [.invalidState, .filterFailed], waits: true,
            example: """
                local player = mk.player{ clock = "free", filters = "volume@trim=-3dB" }
                player:open("synth:sine=duration=5")
                player:play()
                assert(player:update_filter("trim", { volume = "-6dB" }))
                """
        ) { (context, player, label, table) throws(MediaError) in
            let values = try table.plain()
            for (name, value) in values {
                try context.setting.permissions.filters("\(name)=\(value)")
            }
            try player.player.update(label, values)
            return LuaDone()
        },
    ]
}
