-- Decodes VVC (H.266), or whatever else it is given: with which decoder, why, and what comes out.
--
--   scripts/mk run scripts/examples/vvc.lua   takes a test picture of vvc/samples
--   mediakit run vvc.lua FILE                 ends with one MD5 over all pictures
--   mediakit run vvc.lua FILE OUT.framemd5    writes an MD5 of each picture, as FFmpeg does

local here = arg[0]:match("^(.*)/[^/]*$") or "."
local input = arg[1] or here .. "/../../vvc/samples/mandelbrot_320x180_10b.mp4"
local output = arg[2]

local player <close> = mk.player{
  clock = "free",
  disable_audio = true,
  sink = output and "framemd5" or "file",
  output = output or "-",
  container = not output and "md5" or nil,
  video_encoder = "rawvideo",
}
player:on("warning", function(event) print("warning: " .. event.message) end)
player:on("decoder_changed", function(event) print("now " .. event.decoder.name) end)
player:on("video_codec_not_support", function(event)
  print(("stream %d: nothing here decodes %s"):format(event.stream, event.codec))
end)

assert(player:open(input))
local info = player:info()
print(("%s: %s, %s"):format(input:match("[^/]+$"), info.container,
  info.duration and ("%.2f s"):format(info.duration) or "of unknown length"))
for _, stream in ipairs(info.streams) do
  local decoder = stream.decoder
  print(("stream %d: %s %s, %s"):format(
    stream.index, stream.kind, stream.codec, stream.format or "of unknown format"))
  if decoder then
    print(("  decoder: %s %s, %s"):format(
      decoder.name, decoder.version, decoder.device or "in software"))
    print("  why:     " .. decoder.reason)
  end
end

player:play()
assert(player:wait())
print(("%d pictures"):format(player:get("frames").video))
