-- Subtracts one failure. The end of the window does not change.
-- KEYS  1 the counter
-- Result  'ok'
local failures = tonumber(redis.call('GET', KEYS[1]) or '0')
if failures and failures > 0 then
  redis.call('DECR', KEYS[1])
end
return 'ok'
