-- Takes one failure back. The window of the others ends when it would have.
-- KEYS  1 the count
-- Result  'ok'
local failures = tonumber(redis.call('GET', KEYS[1]) or '0')
if failures and failures > 0 then
  redis.call('DECR', KEYS[1])
end
return 'ok'
