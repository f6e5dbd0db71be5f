-- Revokes a code that is not redeemed yet.
-- KEYS  1 the code
-- Result  'ok' | 'missing' if it is not there, or spent
if redis.call('HGET', KEYS[1], 'status') ~= 'active' then
  return 'missing'
end
redis.call('HSET', KEYS[1], 'status', 'revoked')
return 'ok'
