-- Brings all files of a folder to one loudness, two at a time; the same command goes on where it
-- was broken off.
--
--   mediakit run batch_normalize.lua FOLDER OUT [TARGET_LUFS]
--
-- Without a folder, two made-up sounds are written into OUT.

local folder, out, target = ...
if not out then
  mk.log.error("usage: batch_normalize.lua FOLDER OUT [TARGET_LUFS]")
  mk.quit(2)
end
local inputs = folder ~= "-" and { folder } or {
  "synth:sine=frequency=400:duration=4,volume=-20dB",
  "synth:anoisesrc=color=pink:amplitude=0.9:duration=4",
}

local function show(event)
  if event.event == "began" then
    print(("%d files"):format(event.files))
  elseif event.event == "ended" then
    local file = event.file
    if file.before and file.after then
      print(("%s  %+.1f dB: %.1f to %.1f LUFS%s"):format(file.output, file.gain or 0,
        file.before.integrated, file.after.integrated, file.limited and ", limited" or ""))
    else
      print(("%s  %s"):format(file.output or file.input, file.message or file.status))
    end
  end
end

local summary = assert(mk.batch{
  inputs = inputs,
  filter = { { "normalizer", target = tonumber(target) or -16, true_peak = -1 } },
  output = out .. (folder ~= "-" and "/{rel}/{stem}.flac" or "/{index}.flac"),
  jobs = 2,
  report = out .. "/report.json",
  on_event = show,
})
print(summary.text)
mk.quit(summary.exit_status)
