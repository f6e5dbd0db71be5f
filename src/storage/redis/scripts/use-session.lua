-- Reads a session, which lives on by that; never past its end.
-- KEYS  1 the session
-- ARGV  1 for how long it lives without being used, in seconds
-- Result  field, value, … of the session; nothing where there is none, or nobody can tell when it ends
local now, ends_at = now_ms(), tonumber(redis.call('HGET', KEYS[1], 'ends_at') or '')
if not ends_at or now > ends_at then
  assert_writable_hash(KEYS[1])
  return {}
end
redis.call('PEXPIREAT', KEYS[1], ms_argument(end_of_use(now, ends_at, ARGV[1])))
return redis.call('HGETALL', KEYS[1])
