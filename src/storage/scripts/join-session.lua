-- Notes in a session where its user goes on to. A session that is over stays so.
-- KEYS  1 the session
-- ARGV  field, value, …
-- Result  'ok' | 'missing'
assert_writable_hash(KEYS[1])
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 'missing'
end
redis.call('HSET', KEYS[1], unpack(ARGV))
return 'ok'
