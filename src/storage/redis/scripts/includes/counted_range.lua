-- Where a counted list is in ARGV, whose length is at position `at`: the positions of its first and last argument. The
-- next list begins after the last one.
local function counted_range(at)
  return at + 1, at + tonumber(ARGV[at])
end
