-- Hooks: short names become URLs before opening, and another place is tried when one fails.
--
--   mediakit run hooks_fallback.lua news      (or tone; naming it lets the script open it)

local places = {
  news = { "synth:gone", "synth:gone_too", "synth:sine=frequency=440:duration=1" },
  tone = { "synth:sine=frequency=880:duration=1" },
}
local name = arg[1]
if not name then
  mk.log.error("usage: hooks_fallback.lua news|tone")
  mk.quit(2)
end

local player <close> = mk.player{ clock = "free" }
local left = {}

player:hook("before_open", function(hook)
  local urls = places[hook.url]
  if not urls then return end
  print(hook.url .. " has " .. #urls .. " places")
  left = { table.unpack(urls, 2) }
  hook.url = urls[1]
end)

-- A lookup may take its time: the player waits until `cont`.
player:hook("open_failed", function(hook)
  print("failed: " .. hook.error .. " (" .. hook.code .. ")")
  local next = table.remove(left, 1)
  if not next then return end
  hook:defer()
  mk.after(0.1, function()
    print("trying " .. next)
    hook.url = next
    hook:cont()
  end)
end)

local info = assert(player:open(name))
print(("opened %s, %s"):format(info.url, info.streams[1].codec))
player:play()
assert(player:wait(10))
print("played")
