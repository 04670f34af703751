-- Compares two chains on the same sound by their figures, side by side.
--
--   mediakit run ab_compare.lua FILE "CHAIN A" "CHAIN B"

local file = arg[1] or "synth:anoisesrc=color=pink:amplitude=0.8:duration=5"
local sides = {
  { name = "as it is", chain = mk.chain{} },
  { name = "A", chain = mk.chain(arg[2] or "acompressor=threshold=-20dB:ratio=4") },
  { name = "B", chain = mk.chain(arg[3] or "volume=-6dB,alimiter=limit=0.5") },
}

-- All are measured at once; each answer comes when it is ready.
for _, side in ipairs(sides) do
  mk.measure_async(file, { filter = side.chain }, function(loudness, message)
    side.loudness = loudness
    side.problem = message
  end)
end
mk.run()

local rows = {
  { "loudness", "integrated", "LUFS" },
  { "range", "range", "LU" },
  { "loudest 400 ms", "momentary_max", "LUFS" },
  { "true peak", "true_peak", "dBTP" },
}
for _, side in ipairs(sides) do
  if side.problem then error(side.problem, 0) end
  print(("%-9s %s"):format(side.name, tostring(side.chain)))
end
print(("%-16s %10s %10s %10s"):format("", "as it is", "A", "B"))
for _, row in ipairs(rows) do
  local cells = {}
  for index, side in ipairs(sides) do
    cells[index] = ("%10.1f"):format(side.loudness[row[2]] or -math.huge)
  end
  print(("%-16s %s %s"):format(row[1], table.concat(cells, " "), row[3]))
end
