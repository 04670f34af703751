-- Names the methods that scripts call and neither the printed stub nor Lua's strings have.
-- usage: lua5.4 methods.lua STUB SCRIPT…

local known = {}
for name in pairs(string) do
  known[name] = true
end
for line in io.lines(arg[1]) do
  local method = line:match("^function [%w_]+:([%w_]+)%(")
  if method then
    known[method] = true
  end
end
for index = 2, #arg do
  local number = 0
  for line in io.lines(arg[index]) do
    number = number + 1
    local code = line:gsub("%-%-.*", ""):gsub("\\.", ""):gsub("'[^']*'", "''"):gsub('"[^"]*"', '""')
    -- A script's own methods are known from where they are defined.
    local own = code:match("^%s*function [%w_.]+:([%w_]+)")
    if own then
      known[own] = true
    end
    for method in code:gmatch("[%w_%])]:([%a_][%w_]*)%s*[({\"']") do
      if not known[method] then
        print(("%s:%d: no method '%s'"):format(arg[index], number, method))
      end
    end
  end
end
