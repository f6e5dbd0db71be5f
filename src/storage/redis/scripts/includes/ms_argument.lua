-- Formats milliseconds as an argument: Lua would write large numbers with an exponent. A time is written in two parts,
-- because Lua formats whole numbers of 32 bits in half the time; a number that is passed as it is takes as long as '%.0f'.
local function ms_argument(ms)
  if ms < 1000000 then
    return string.format('%.0f', ms)
  end
  return string.format('%d%06d', ms / 1000000, ms % 1000000)
end
