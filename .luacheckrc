-- Lua sources: the examples see what the generated stub declares, nothing else.
std = "lua54"
max_line_length = 100
globals = {}
read_globals = { "mk", "arg" }
exclude_files = { "**/*.gen.lua" }
