-- Loads a plugin file and hears what its filters do to a tone.
--
--   mediakit run --allow-plugins plugin.lua PLUGIN.so [FILTER…]
--
-- FILTER is text of the chain language, such as "tremolo-c=depth=1:rate=8"; without one, every
-- filter of the file is tried as it comes.

local path = assert(arg[1], "which plugin file?")
local tone <const> = "synth:sine=frequency=1000:sample_rate=48000:duration=5"

local file = assert(mk.plugins.load(path))
print(("%s %s (%s): %s"):format(file.name, file.version, file.license, file.summary))

local filters = { table.unpack(arg, 2) }
for _, plugin in ipairs(mk.plugins.list()) do
  if plugin.file == file.path then
    print(("  %s %s: %s"):format(plugin.kind, plugin.name, plugin.summary))
    if plugin.kind == "filter" and not arg[2] then filters[#filters + 1] = plugin.name end
  end
end

local before = assert(mk.measure(tone))
for _, filter in ipairs(filters) do
  local after = assert(mk.measure(tone, { filter = filter }))
  print(("%s: %.2f LUFS before, %.2f after"):format(filter, before.integrated, after.integrated))
end
print("unloading: " .. mk.plugins.unload(file.name))
