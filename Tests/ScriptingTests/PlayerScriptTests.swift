// Players in scripts: opening, events, observers, hooks, filters, sinks.

import Glibc
import MediaCore
import Scripting
import TestSupport
import Testing

/// Waits until a function gives true; not for ever, so that what is printed next tells of it.
private let waitFor = """
    local function wait_for(is_done)
      local last = mk.now() + 60
      while not is_done() and mk.now() < last do mk.wait(0.01) end
    end

    """

@Suite("Lua players (issue: 4)")
struct PlayerScriptTests {
    @Test("the initial value comes first, later ones are coalesced, and unobserve ends them")
    func observing() throws {
        try check(
            waitFor + """
                local player = mk.player{ clock = "free" }
                local values, told = {}, false
                local sub = player:observe("status", function(value, name)
                  values[#values + 1] = value
                  assert(name == "status")
                end)
                player:observe("paused", function(value)
                  print("paused", value)
                  told = true
                end)
                wait_for(function() return #values > 0 and told end)
                print(table.concat(values, " "))
                assert(player:open("synth:sine=duration=1"))
                player:play()
                assert(player:wait(60))
                print(values[#values])
                sub:cancel()
                player:unobserve("paused")
                local count = #values
                player:stop()
                mk.wait(0.05)
                print(count == #values)
                print(pcall(player.observe, player, "statuss", print))
                """,
            [
                "paused\ttrue", "idle", "paused\tfalse", "completion", "true",
                "false\tno player property 'statuss'; did you mean 'status'?",
            ])
    }

    @Test("values that come while a script is busy are one call")
    func coalescing() throws {
        let outcome = try ScriptBench().run(
            """
            local player = mk.player{ clock = "realtime", position_interval = 0.02 }
            local calls = 0
            player:observe("position", function() calls = calls + 1 end)
            player:open("synth:sine=duration=1000")
            player:play()
            local begin = mk.now()
            while mk.now() - begin < 0.5 do end
            local before = calls
            mk.wait(0)
            print(before, calls <= 3)
            """)
        #expect(outcome.printed == "0\ttrue\n" || outcome.printed == "1\ttrue\n")
    }

    @Test("events carry their name, player and fields; wrong names are refused")
    func events() throws {
        try check(
            """
            local player = mk.player{ clock = "free" }
            player:on("media_info", function(event)
              print(event.name, event.player == player, event.info.container)
            end)
            local gone = player:on("ended", function() print("never") end)
            player:on("ended", function(event) print(event.name) mk.quit(0) end)
            gone:cancel()
            player:open("synth:sine=duration=1")
            player:play()
            print(select(2, pcall(player.on, player, "endet", print)))
            mk.run()
            """,
            [
                "media_info\ttrue\tsynth", "no player event 'endet'; did you mean 'ended'?",
                "ended",
            ])
    }

    @Test("a hook rewrites the URL, is put off, and its failing ends the script")
    func hooks() throws {
        try check(
            """
            local player = mk.player{ clock = "free" }
            player:hook("before_open", function(hook)
              print(hook.name, hook.url, hook.error)
              hook:defer()
              mk.after(0.02, function()
                hook.url = "synth:sine=duration=2"
                hook:cont()
                hook:cont()
              end)
            end)
            print(assert(player:open("whatever")).url)
            """, ["before_open\twhatever\tnil", "synth:sine=duration=2"])
        let failing = try ScriptBench().run(
            """
            local player = mk.player{ clock = "free" }
            player:hook("before_open", function() error("in hook") end)
            player:open("synth:sine=duration=2")
            print("not reached")
            """)
        #expect(failing.status == 2)
        #expect(failing.reported.hasPrefix("script.lua:2: in hook\nstack traceback:"))
        #expect(failing.printed == "")
    }

    @Test("a hook that nobody answers does not keep the script from ending")
    func deferredHook() throws {
        let outcome = try ScriptBench().run(
            waitFor + """
                local player = mk.player{ clock = "free" }
                player:hook("before_open", function(hook) hook:defer() end)
                player:open_async("synth:sine=duration=2")
                wait_for(function() return player:state() == "opening" end)
                print(player:state())
                """)
        #expect(outcome.printed == "opening\n")
        #expect(outcome.reported == "")
        #expect(outcome.status == 0)
    }

    @Test("opening beside the script calls back later, also for what fails at once")
    func openAsync() throws {
        try check(
            """
            local player = mk.player{ clock = "free" }
            local job = player:open_async("nowhere.wav", function(info, message, code)
              print(info, code)
            end)
            print("first", job:is_done())
            mk.run()
            print(job:is_done())
            player:hook("before_open", function(hook) hook:defer() end)
            local other = player:open_async("synth:sine=duration=1", function(info, _, code)
              print(info and "opened", code)
            end)
            other:cancel()
            mk.run()
            print(select(3, job:wait()))
            """, ["first\tfalse", "nil\tnot-found", "true", "nil\tcancelled", "not-found"])
    }

    @Test("calls behind open_async are about what is opened, and a cancelled one opens nothing")
    func behindOpenAsync() throws {
        try check(
            waitFor + """
                local player = mk.player{ clock = "free" }
                local lost = 0
                for _ = 1, 50 do
                  local job = player:open_async("synth:sine=duration=1000")
                  player:play()
                  assert(job:wait(60))
                  if player:status() ~= "started" then lost = lost + 1 end
                end
                print(lost)
                player:open_async("synth:sine=duration=1000"):cancel()
                assert(player:open("synth:sine=duration=2"))
                print(player:status())
                player:hook("before_open", function(hook) hook:defer() end)
                local job = player:open_async("synth:sine=duration=1000")
                job:cancel()
                print(select(3, job:wait(60)))
                wait_for(function() return player:state() == "idle" end)
                print(player:state())
                """, ["0", "prepared", "cancelled", "idle"])
    }

    @Test("a player is not set up anew between open_async and the opening; behind a stop it is")
    func configureBehindOpenAsync() throws {
        try check(
            """
            local refused, opened, set = 0, 0, 0
            for i = 1, 50 do
              local player <close> = mk.player{ clock = "free" }
              local job = player:open_async("synth:sine=duration=2")
              local code
              if i % 2 == 0 then
                code = select(3, player:configure{ clock = "realtime" })
              else
                code = select(3, player:set_sink{ sink = "null" })
              end
              if code == "invalid-state" then refused = refused + 1 end
              if job:wait(60) then opened = opened + 1 end
              player:open_async("synth:sine=duration=2")
              player:stop()
              if player:configure{ clock = "realtime" } then set = set + 1 end
            end
            print(refused, opened, set)
            """, ["50\t50\t50"])
    }

    @Test("filters are added, found by label, changed, passed by and removed")
    func filters() throws {
        try check(
            """
            local player = mk.player{ clock = "free", filters = { "volume@a=-1dB" } }
            local function show()
              local names = {}
              for _, f in ipairs(player:filters()) do
                names[#names + 1] = f.label .. (f.enabled and "" or "(off)")
              end
              print(table.concat(names, " "))
            end
            assert(player:add_filter({ "volume", volume = "-2dB" }, "b"))
            assert(player:enable_filter("a", false))
            show()
            print(select(2, pcall(player.add_filter, player, "volume", "b")))
            assert(player:remove_filter("a"))
            show()
            print(pcall(player.remove_filter, player, "zzz"))
            assert(player:use(mk.chain{}))
            show()
            """,
            [
                "a(off) b", "label 'b' is taken", "b",
                "false\tno filter 'zzz' is in use",
            ])
    }

    @Test("a player's sink and options are chosen anew while nothing is open")
    func sinks() throws {
        let bench = try ScriptBench()
        let outcome = bench.run(
            """
            local player = mk.player{ clock = "free" }
            local calls = 0
            player:observe("status", function() calls = calls + 1 end)
            assert(player:set_sink{ sink = "wav", output = "a.wav" })
            print(player:config().sink, player:config().clock)
            assert(player:open("synth:sine=duration=1"))
            print(select(3, player:set_sink{ sink = "null" }))
            player:play()
            assert(player:wait(60))
            player:close()
            print(calls > 2, mk.file_info("a.wav").size > 80000)
            print(select(3, player:open("synth:sine=duration=1")))
            print(pcall(mk.player, { sink = "nosuch" }))
            print(select(2, pcall(mk.player, { clok = "free" })))
            """)
        #expect(outcome.reported == "")
        #expect(
            outcome.lines.prefix(4) == [
                "wav\tfree", "invalid-state", "true\ttrue", "invalid-state",
            ])
        #expect(outcome.printed.contains("no sink 'nosuch'"))
        #expect(outcome.printed.contains("did you mean 'clock'?"))
    }

    @Test("one player plays one medium after the other, also after one that failed")
    func again() throws {
        try check(
            """
            local player = mk.player{ clock = "free" }
            local ends = 0
            player:on("ended", function() ends = ends + 1 end)
            for _, url in ipairs{ "synth:gone", "synth:sine=duration=1", "synth:sine=duration=2" } do
              if player:open(url) then
                player:play()
                print(player:wait(60), player:position())
              end
            end
            for _ = 1, 20 do
              player:play()
              assert(player:wait(60))
            end
            print(ends, player:position())
            """, ["true\t1.0", "true\t2.0", "22\t2.0"])
    }

    @Test("waiting ends with the end, at the timeout, with the error, or is refused")
    func waiting() throws {
        try check(
            """
            local player = mk.player()
            player:open("synth:sine=duration=1000")
            print(select(3, player:wait()))
            player:play()
            print(select(3, player:wait(0.05)))
            player:stop()
            print(player:wait())
            print(select(3, player:seek(1)))
            print(select(3, player:select("audio", 0)))
            """, ["invalid-state", "timed-out", "true", "invalid-state", "invalid-state"])
    }

    @Test("too many players are refused, and all are closed at the end")
    func many() async {
        // In a process of its own, whose threads are no other test's.
        await #expect(processExitsWith: .success) {
            let outcome = try ScriptBench().run(
                """
                local list, message = {}, nil
                for i = 1, 40 do
                  local player, why = mk.player{ clock = "realtime" }
                  if not player then message = why break end
                  list[i] = player
                  player:open("synth:sine=duration=1000")
                  player:play()
                end
                print(#list, message)
                do local p <close> = list[1] end
                print(mk.player() ~= nil)
                """)
            #expect(outcome.lines == ["32\t32 players are open; close one first", "true"])
            // The system lists a thread for a moment after it was joined.
            let deadline = SystemTimeSource().now + MediaTime(seconds: Sanitizer.patience(5))
            while ownThreads() > 0, SystemTimeSource().now < deadline { usleep(10_000) }
            #expect(ownThreads() == 0)
        }
    }
}

/// How many threads of this process are the toolkit's.
private func ownThreads() -> Int {
    let tasks = (try? SystemFileSystem().list("/proc/self/task")) ?? []
    return tasks.compactMap { try? readFile("/proc/self/task/\($0)/comm") }
        .count { String(decoding: $0, as: UTF8.self).hasPrefix("mk-") }
}
