-- Formats milliseconds as an argument: Lua would write large numbers with an exponent.
local function ms_argument(ms)
  return string.format('%.0f', ms)
end
