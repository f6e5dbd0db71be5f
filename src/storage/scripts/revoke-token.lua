-- Marks one token revoked.
-- KEYS  1 the token
-- Result  'ok' | 'missing'
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 'missing'
end
redis.call('HSET', KEYS[1], 'revoked', 'true')
return 'ok'
