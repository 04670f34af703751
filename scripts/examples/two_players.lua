-- Two players at once: what one does never disturbs the other.
--
--   mediakit run two_players.lua [FILE] [FILE]

local left = arg[1] or "synth:sine=frequency=300:duration=3"
local right = arg[2] or "synth:sine=frequency=500:duration=2"

local function start(name, url, filters)
  local player = mk.player{ filters = filters }
  player:observe("status", function(status)
    print(("%-6s %5.2f s  %s"):format(name, player:position(), status))
  end)
  player:on("ended", function() print(("%-6s has ended"):format(name)) end)
  assert(player:open(url))
  player:play()
  return player
end

local a = start("left", left, "volume@level=-6dB")
local b = start("right", right)

-- The left one falls silent for half a second while the right one goes on.
mk.after(0.5, function() a:pause() end)
mk.after(1.0, function()
  a:play()
  assert(a:update_filter("level", { volume = "-12dB" }))
end)
-- Meanwhile the right one jumps ahead.
mk.after(0.7, function()
  print(("right  went on at %.2f s"):format(assert(b:seek(1.5, "exact"))))
end)

mk.run()
print(("left   %s at %.2f s"):format(a:status(), a:position()))
print(("right  %s at %.2f s"):format(b:status(), b:position()))
