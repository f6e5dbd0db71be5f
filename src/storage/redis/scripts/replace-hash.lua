-- Replaces a whole hash if its fields still equal the expected ones.
-- KEYS  1 the hash
-- ARGV  1 number of arguments of the expected fields; then their field, value, …; then those of the new fields
-- Result  1 | 0 if they differ
local expected = tonumber(ARGV[1])
if redis.call('HLEN', KEYS[1]) ~= expected / 2 then
  return 0
end
for i = 2, expected, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) ~= ARGV[i + 1] then
    return 0
  end
end
-- The new fields come first: while a slot of a Cluster moves, no script can write to a key after it removed it.
local is_new = {}
for i = expected + 2, #ARGV, 2 do
  is_new[ARGV[i]] = true
end
if #ARGV > expected + 1 then
  redis.call('HSET', KEYS[1], unpack(ARGV, expected + 2))
end
for i = 2, expected, 2 do
  if not is_new[ARGV[i]] then
    redis.call('HDEL', KEYS[1], ARGV[i])
  end
end
return 1
