-- Replaces all signing keys if they still equal the expected ones.
-- KEYS  1 the signing keys
-- ARGV  1 number of arguments of the expected keys; then their field, value, …; then those of the new keys
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
redis.call('DEL', KEYS[1])
if #ARGV > expected + 1 then
  redis.call('HSET', KEYS[1], unpack(ARGV, expected + 2))
end
return 1
