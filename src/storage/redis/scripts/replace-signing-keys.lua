-- Replaces the whole set of signing keys, provided that it still is the expected one.
-- KEYS  1 the set
-- ARGV  1 how many arguments the expected set takes; then its field, value, …; then those of the next set
-- Result  1 | 0 where the set is another one
local expected = tonumber(ARGV[1])
if redis.call('HLEN', KEYS[1]) ~= expected / 2 then
  return 0
end
for i = 2, expected, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) ~= ARGV[i + 1] then
    return 0
  end
end
redis.call('DEL', KEYS[1])
if #ARGV > expected + 1 then
  redis.call('HSET', KEYS[1], unpack(ARGV, expected + 2))
end
return 1
