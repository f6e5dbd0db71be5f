-- Arguments from position `at` on that say how many they are: n, then n arguments. Returns them as a list, and the
-- position behind them.
local function counted_arguments(at)
  local last = at + tonumber(ARGV[at])
  return { unpack(ARGV, at + 1, last) }, last + 1
end
