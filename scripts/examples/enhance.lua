-- Lifts dialogue, widens the sound and brings it to a loudness: played first, then written.
--
--   mediakit run enhance.lua                  plays made-up sound and changes the effect meanwhile
--   mediakit run enhance.lua IN.mp4           plays IN.mp4 through the effect
--   mediakit run enhance.lua IN.mp4 OUT.mp4   plays a while, then writes OUT.mp4; its picture is
--                                             copied as it is

local input, output = ...
local TARGET <const> = -16

-- One chain serves the player and the writer alike.
local chain = mk.chain{
  {
    "audioEnhance",
    label = "enhance",
    enable_surround = true,
    surround_effect_type = "3DSurround",
    enable_dialoguenhance = true,
    dialoguenhance_voice = 4,
    enable_normalizer = true,
    target = TARGET,
    true_peak = -1,
  },
}

local function decibels(value)
  return value and value > -math.huge and ("%.1f"):format(value) or "silence"
end

-- Plays through the chain and turns its knobs meanwhile; to the end, or for `limit` seconds.
local function listen(url, limit)
  local player <close> = mk.player{ sink = "null", clock = "realtime" }
  player:on("filter_ignored", function(event)
    print("kept as it was: " .. table.concat(event.reasons, "; "))
  end)
  player:on("warning", function(event) print("warning: " .. event.message) end)
  player:on("format_changed", function(event) print("sound: " .. event.format) end)

  assert(player:use(chain))
  local info = assert(player:open(url))
  local length = info.duration and ("%.1f s"):format(info.duration) or "of unknown length"
  print(("playing %s, %s"):format(url, length))
  player:play()

  local span = limit or info.duration or 10
  local function change(part, what, options)
    mk.after(span * part, function()
      assert(player:update_filter("enhance", options))
      print(("%5.2f s  %s"):format(player:position(), what))
    end)
  end
  change(0.2, "more voice", { dialoguenhance_voice = 8 })
  change(0.4, "another surround: asked for too late", { surround_effect_type = "wide" })
  change(0.6, "no surround", { enable_surround = false })
  mk.after(span * 0.8, function()
    assert(player:enable_filter("enhance", false))
    print(("%5.2f s  all off, as it was recorded"):format(player:position()))
  end)

  local done, message, code = player:wait(limit)
  if not done and code ~= "timed-out" then error(message, 0) end
  print(("%5.2f s  %s"):format(player:position(), done and "played to the end" or "enough heard"))
end

-- Writes through the same chain; in a file the loudness is exact, since all of it is known.
local function write(from, to)
  print(("writing %s"):format(to))
  local summary = assert(mk.batch({ from }, chain, { output = (to:gsub("[{}]", "%0%0")) }))
  local file = summary.files[1]
  if file.status == "failed" then error(file.message, 0) end
  local before, after = file.before, file.after
  if before and after then
    print(("before  %s LUFS, true peak %s dBTP"):format(
      decibels(before.integrated), decibels(before.true_peak)))
    print(("after   %s LUFS, true peak %s dBTP (target %d LUFS)"):format(
      decibels(after.integrated), decibels(after.true_peak), TARGET))
  end
  for _, warning in ipairs(file.warnings) do print("warning: " .. warning) end
  print(("%s: %s"):format(file.status, to))
end

if output then
  listen(input, 2)
  write(input, output)
elseif input then
  listen(input)
else
  -- Two tones that beat, over noise: something for the effect to work on.
  listen("synth:aevalsrc='0.2*sin(440*2*PI*t)*(1+sin(3*PI*t))+0.02*random(0)"
    .. "|0.2*sin(440*2*PI*t)*(1+sin(3*PI*t))+0.02*random(1)':duration=5", 5)
end
