// The functions of `mk` itself: waiting, timers, ending, and what the script was given.

internal import LuaRuntime
internal import MediaCore

extension ScriptAPI {
    static let root = LuaModule<ScriptContext>(
        "mk", "The toolkit; also what `require \"mediakit\"` gives.",
        constants: [
            LuaConstant("version", "The version of the program.") { $0.setting.version },
            LuaConstant("args", "The arguments of the script; also the global `arg`.") {
                $0.setting.arguments
            },
        ],
        waiting + timers + media + [chain, player, backup] + batches + files)

    private static let waiting: [LuaFunction<ScriptContext>] = [
        LuaFunction(
            "run", "Runs callbacks until nothing can call back any more, or the script quits.",
            returns: [], waits: true,
            example: """
                mk.after(0.01, function() print("later") end)
                mk.run()
                """
        ) { (context) throws(MediaError) in
            repeat {
                _ = try context.pump { !context.hasWork }
                try context.settle()
            } while context.hasWork
            return LuaNothing()
        },
        LuaFunction(
            "wait", "Waits, running callbacks meanwhile.",
            Param<MediaTime>("time", "How long, in seconds."), returns: [], waits: true,
            example: "mk.wait(0.01)"
        ) { (context, time) throws(MediaError) in
            _ = try context.pump(until: context.clock.now + time) { false }
            return LuaNothing()
        },
        LuaFunction(
            "quit", "Ends the script: players close, and nothing after the call runs.",
            Param<Int?>("status", "The exit status, 0 to 255; 0 when not given."), returns: [],
            example: "mk.after(0, function() mk.quit(0) end)"
        ) { (context, status) throws(MediaError) in
            guard (0...255).contains(status ?? 0) else {
                throw MediaError(.badArgument, "quit: an exit status is 0 to 255")
            }
            context.quit(Int32(status ?? 0))
            return LuaNothing()
        },
        LuaFunction(
            "now", "Tells a time that only goes forward, to measure how long something takes.",
            returns: [LuaParameter("time", type: "number", "Seconds since an arbitrary moment.")],
            example: """
                local begin = mk.now()
                assert(mk.now() >= begin)
                """
        ) { context in context.clock.now },
    ]

    private static let timers: [LuaFunction<ScriptContext>] = [
        LuaFunction(
            "after", "Calls a function once, later.",
            Param<MediaTime>("time", "How long from now, in seconds."),
            Param<LuaCallback>("fn", "The function.", type: "fun()"),
            returns: [LuaParameter("timer", type: "mk.Timer", "The timer.")],
            example: """
                local timer = mk.after(5, function() error("too slow") end)
                timer:kill()
                """
        ) { (context, time, callback) throws(MediaError) in
            try addTimer(callback, time, repeats: false, context)
        },
        LuaFunction(
            "every", "Calls a function again and again.",
            Param<MediaTime>("period", "The time between two calls, in seconds."),
            Param<LuaCallback>("fn", "The function.", type: "fun()"),
            returns: [LuaParameter("timer", type: "mk.Timer", "The timer.")],
            example: """
                local count = 0
                local timer
                timer = mk.every(0.01, function()
                  count = count + 1
                  if count == 3 then timer:kill() end
                end)
                mk.run()
                assert(count == 3)
                """
        ) { (context, period, callback) throws(MediaError) in
            guard period >= .milliseconds(1) else {
                throw MediaError(.badArgument, "every: a period is at least 0.001 s")
            }
            return try addTimer(callback, period, repeats: true, context)
        },
    ]

    private static func addTimer(
        _ callback: LuaCallback, _ period: MediaTime, repeats: Bool, _ context: ScriptContext
    ) throws(MediaError) -> ScriptTimer {
        guard context.timers.count < 10_000 else {
            throw MediaError(.badArgument, "more than 10000 timers")
        }
        let timer = ScriptTimer(
            callback, period: max(period, .zero), repeats: repeats, clock: context.clock)
        context.timers.append(timer)
        return timer
    }

    static let timerClass = LuaClass<ScriptContext>(
        ScriptTimer.self, "A timer, made by `mk.after` or `mk.every`.",
        properties: [
            LuaProperty(
                of: ScriptTimer.self, "period",
                "Seconds between two calls; a change counts from the next `resume` or call on.",
                get: { _, timer in timer.period },
                set: { (_, timer, period: MediaTime) throws(MediaError) in
                    guard period >= .milliseconds(1) else {
                        throw MediaError(.badArgument, "a period is at least 0.001 s")
                    }
                    timer.period = period
                })
        ],
        [
            LuaFunction(
                of: ScriptTimer.self, "stop", "Holds the timer; `resume` starts it again.",
                returns: [], example: "mk.every(1, function() end):stop()"
            ) { _, timer in
                timer.stop()
                return LuaNothing()
            },
            LuaFunction(
                of: ScriptTimer.self, "resume", "Calls a period from now, and so on.",
                returns: [],
                example: """
                    local timer = mk.after(0.01, function() print("now") end)
                    timer:stop()
                    timer:resume()
                    mk.run()
                    """
            ) { context, timer in
                timer.resume()
                if timer.due != nil, !context.timers.contains(where: { $0 === timer }) {
                    context.timers.append(timer)
                }
                return LuaNothing()
            },
            LuaFunction(
                of: ScriptTimer.self, "kill", "Ends the timer for good.", returns: [],
                example: "mk.every(1, function() end):kill()"
            ) { _, timer in
                timer.kill()
                return LuaNothing()
            },
            LuaFunction(
                of: ScriptTimer.self, "is_enabled", "Tells whether it will call.",
                returns: [LuaParameter("enabled", type: "boolean", "Whether it runs.")],
                example: """
                    local timer = mk.after(60, function() end)
                    assert(timer:is_enabled())
                    timer:kill()
                    assert(not timer:is_enabled())
                    """
            ) { _, timer in timer.due != nil },
        ])

    static let jobClass = LuaClass<ScriptContext>(
        ScriptJob.self, "Work that goes on beside the script, begun by an `…_async` function.",
        [
            LuaFunction(
                of: ScriptJob.self, "cancel",
                "Ends the work: its callback gets nil, a message and `cancelled`, or the results where "
                    + "it was done before.", returns: [],
                example: """
                    local job = mk.measure_async("synth:sine", nil, function(loudness, _, code)
                      assert(not loudness and code == "cancelled")
                    end)
                    job:cancel()
                    mk.run()
                    """
            ) { _, job in
                job.token.cancel()
                return LuaNothing()
            },
            LuaFunction(
                of: ScriptJob.self, "is_done", "Tells whether the work has ended.",
                returns: [LuaParameter("done", type: "boolean", "Whether it has.")],
                example: """
                    local job = mk.probe_async("synth:sine=duration=1", function() end)
                    mk.run()
                    assert(job:is_done())
                    """
            ) { _, job in job.outcome != nil },
            LuaFunction(
                of: ScriptJob.self, "wait", "Waits for the end and gives the results.",
                Param<MediaTime?>(
                    "timeout", "The longest wait, in seconds; for ever if not given."),
                returns: [
                    LuaParameter("...", type: "any", "What the callback gets, failures too.")
                ],
                fails: [.timedOut, .cancelled], waits: true,
                example: """
                    local job = mk.probe_async("synth:sine=duration=1", function() end)
                    print(job:wait(10).duration)
                    """
            ) { (context, job, timeout) throws(MediaError) in
                try context.finish(job, timeout: timeout)
            },
        ])

    static let subscriptionClass = LuaClass<ScriptContext>(
        Subscription.self, "A series of calls, begun by `player:on` or `player:observe`.",
        [
            LuaFunction(
                of: Subscription.self, "cancel", "Calls no more.", returns: [],
                example: """
                    local player = mk.player{ clock = "free" }
                    player:on("ended", function() end):cancel()
                    """
            ) { _, subscription in
                subscription.cancel()
                return LuaNothing()
            }
        ])
}
