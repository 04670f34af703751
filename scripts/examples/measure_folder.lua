-- Measures the loudness of everything in a folder and says what stands out.
--
--   mediakit run measure_folder.lua FOLDER [REPORT.json]
--
-- Without arguments three made-up sounds are measured.

local folder, report = ...
local inputs = folder and { folder } or {
  "synth:sine=frequency=1000:duration=3",
  "synth:sine=frequency=1000:duration=3,volume=-12dB",
  "synth:anoisesrc=amplitude=0.5:duration=3",
}

local function figure(value)
  return value and value > -math.huge and ("%8.1f"):format(value) or "       –"
end

local begin = mk.now()
local all = assert(mk.measure_all(inputs))
print("    LUFS    LU (range)  dBTP   file")
local failed, loudest = 0, nil
for _, file in ipairs(all.files) do
  local loudness = file.loudness
  if loudness then
    print(("%s  %s  %s  %s"):format(figure(loudness.integrated), figure(loudness.range),
      figure(loudness.true_peak), file.input))
    if not loudest or loudness.integrated > loudest.loudness.integrated then loudest = file end
  else
    failed = failed + 1
    print(("       –         –         –  %s: %s"):format(file.input, file.message))
  end
end
if all.album then
  print(("together %s LUFS, true peak %s dBTP"):format(
    figure(all.album.integrated), figure(all.album.true_peak)))
end
if loudest then print("loudest: " .. loudest.input) end
print(("%d files in %.1f s"):format(#all.files, mk.now() - begin))

if report then
  assert(mk.write_file(report, mk.json.encode(all, "pretty") .. "\n"))
  print("report: " .. report)
end
if failed > 0 then mk.quit(1) end
