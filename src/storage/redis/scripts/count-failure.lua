-- Counts one failed attempt. The first one opens a window, and the count ends with it.
-- KEYS  1 the count
-- ARGV  1 how long the window is, in milliseconds
-- Result  {how many there are in the window, milliseconds until it ends}
local failures = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
return { failures, left }
