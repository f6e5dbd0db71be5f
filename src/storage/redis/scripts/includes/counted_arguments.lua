-- Reads a counted list at position `at` of ARGV: n, then n arguments. Returns the arguments, and the position after
-- them. A loop, because unpack fails for some thousand values.
local function counted_arguments(at)
  local last, arguments = at + tonumber(ARGV[at]), {}
  for i = at + 1, last do
    arguments[#arguments + 1] = ARGV[i]
  end
  return arguments, last + 1
end
