-- Lua sources: what is global is what the printed stub declares, and nothing else.

std = "lua54"
max_line_length = 100

-- `function mk.a.b(…)` and `mk.a = {}` of the stub as a tree of known fields.
local function declared(path)
  local tree = {}
  local stub = io.open(path)
  if not stub then
    return tree
  end
  local class
  local function declare(name)
    local node = tree
    for part in name:gmatch("[%w_]+") do
      node[part] = node[part] or { fields = {} }
      node = node[part].fields
    end
  end
  for line in stub:lines() do
    local constant = line:match("^%-%-%-@field ([%w_]+)")
    if line:match("^%-%-%-@class ") then
      class = line:match("^%-%-%-@class ([%w_.]+)")
    elseif constant and class then
      declare(class .. "." .. constant)
    else
      local name = line:match("^function ([%w_.]+)%(") or line:match("^([%w_.]+) = ")
      if name then
        declare(name)
      end
    end
  end
  stub:close()
  return { mk = tree.mk }
end

read_globals = declared("scripts/meta/mediakit.gen.lua")
read_globals.arg = {}
exclude_files = { "**/*.gen.lua" }
files["Tests/**/*.lua"] = { ignore = { "1" } }
