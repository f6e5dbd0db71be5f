-- Notes in a session where its user goes on to. A session that is over stays so.
-- KEYS  1 the session
-- ARGV  field, value, …
-- Result  'ok' | 'missing'
if redis.call('EXISTS', KEYS[1]) == 0 then
  assert_writable_hash(KEYS[1])
  return 'missing'
end
redis.call('HSET', KEYS[1], unpack(ARGV))
return 'ok'
