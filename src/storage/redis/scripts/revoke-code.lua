-- Revokes a code that was not redeemed yet.
-- KEYS  1 the code
-- Result  'ok' | 'missing' if it does not exist or is spent
if redis.call('HGET', KEYS[1], 'status') ~= 'active' then
  return 'missing'
end
redis.call('HSET', KEYS[1], 'status', 'revoked')
return 'ok'
