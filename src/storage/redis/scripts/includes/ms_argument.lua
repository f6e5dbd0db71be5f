-- Milliseconds as an argument: Lua writes large numbers with an exponent.
local function ms_argument(ms)
  return string.format('%.0f', ms)
end
