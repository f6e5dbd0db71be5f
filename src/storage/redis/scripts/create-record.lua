-- Writes a client or a user that is not there yet.
-- KEYS  1 the record
-- ARGV  field, value, field, value, …
-- Result  'ok' | 'exists'
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 'exists'
end
redis.call('HSET', KEYS[1], unpack(ARGV))
return 'ok'
