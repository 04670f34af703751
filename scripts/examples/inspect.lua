-- Prints one line of JSON for each medium: what other programs need to know of it.
--
--   mediakit run inspect.lua FILE…

local files = #arg > 0 and arg or { "synth:testsrc2=duration=1[out0];sine=duration=1[out1]" }
local failed = false
for _, path in ipairs(files) do
  local info, message, code = mk.probe(path)
  if info then
    local kinds = {}
    for _, stream in ipairs(info.streams) do
      kinds[#kinds + 1] = stream.kind .. ":" .. stream.codec
    end
    print(mk.json.encode{
      file = path, container = info.container, duration = info.duration, streams = kinds,
    })
  else
    failed = true
    print(mk.json.encode{ file = path, error = code, message = message })
  end
end
if failed then mk.quit(1) end
