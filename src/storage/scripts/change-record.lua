-- Sets and removes fields of a record that is there. A field in both lists is removed.
-- KEYS  1 the record
-- ARGV  1 how many arguments the fields to set take; then field, value, …; then the fields to remove
-- Result  'ok' | 'missing'
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 'missing'
end
local set = tonumber(ARGV[1])
if set > 0 then
  redis.call('HSET', KEYS[1], unpack(ARGV, 2, set + 1))
end
if #ARGV > set + 1 then
  redis.call('HDEL', KEYS[1], unpack(ARGV, set + 2))
end
return 'ok'
