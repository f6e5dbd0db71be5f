-- Makes a code worth nothing that is not redeemed yet.
-- KEYS  1 the code
-- Result  'ok' | 'missing' where it is not there, or spent
if redis.call('HGET', KEYS[1], 'status') ~= 'active' then
  return 'missing'
end
redis.call('HSET', KEYS[1], 'status', 'revoked')
return 'ok'
