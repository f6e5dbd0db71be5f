-- Reads when an entry of a roster ends, in milliseconds since 1970. 0 if there is none, or a value of another form.
local function roster_end(value)
  return tonumber(string.match(value or '', '^(%d+) ') or 0)
end
