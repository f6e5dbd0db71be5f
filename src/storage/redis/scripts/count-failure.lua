-- Counts a failure. The first one starts a window, and the counter expires with it.
-- KEYS  1 the counter
-- ARGV  1 length of the window in milliseconds
-- Result  {failures in the window, milliseconds until it ends}
local failures = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
return { failures, left }
