-- Reads a counted list at position `at` of ARGV: n, then n arguments. Returns the arguments, and the position after
-- them.
local function counted_arguments(at)
  local last = at + tonumber(ARGV[at])
  return { unpack(ARGV, at + 1, last) }, last + 1
end
