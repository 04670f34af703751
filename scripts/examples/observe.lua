-- Watches everything a player says of itself while it is opened, played, moved and stopped.
--
--   mediakit run observe.lua [FILE]

local url = arg[1] or "synth:sine=frequency=440:duration=4"
local player <close> = mk.player{ position_interval = 0.25 }
local begin = mk.now()

local function say(what, value)
  print(("%6.2f s  %-16s %s"):format(mk.now() - begin, what, value))
end

for _, property in ipairs{ "state", "status", "duration", "paused" } do
  player:observe(property, function(value) say(property, tostring(value)) end)
end
player:observe("filters", function(filters) say("filters", #filters) end)
local positions = player:on("position_timer", function(event)
  say("position", ("%.2f"):format(event.position))
end)
player:on("seek_done", function(event) say("seek_done", ("%.2f"):format(event.position)) end)

assert(player:open(url))
assert(player:add_filter("volume=-6dB", "quieter"))
player:play()
mk.wait(0.6)
player:pause()
mk.wait(0.1)
player:play()
local duration = player:duration() or 2
assert(player:seek(duration - 0.5, "exact"))
positions:cancel()
assert(player:wait(10))
for _, track in ipairs(player:tracks()) do
  say("track " .. track.index, track.kind .. ", " .. track.codec)
end
player:stop()
mk.wait(0.1)
