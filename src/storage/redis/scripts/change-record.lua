-- Sets and removes fields of a record that is there, and as expected. A field in both lists is removed.
-- KEYS  1 the record
-- ARGV  1 how many arguments the expected fields take; then field, value, …; then how many the fields to set take;
--       then field, value, …; then the fields to remove
-- Result  'ok' | 'missing' where it is not there, or not as expected
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 'missing'
end
local expected = tonumber(ARGV[1])
for i = 2, expected, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) ~= ARGV[i + 1] then
    return 'missing'
  end
end
local first = expected + 3
local last = first + tonumber(ARGV[expected + 2]) - 1
if last >= first then
  redis.call('HSET', KEYS[1], unpack(ARGV, first, last))
end
if #ARGV > last then
  redis.call('HDEL', KEYS[1], unpack(ARGV, last + 1))
end
return 'ok'
