-- include: assert_writable_hash, now_ms, ms_argument, end_of_use
-- Reads a record, which lives on by that if it has an idle lifetime, but never past its end. Only a server that takes
-- writes answers: another one may not know yet that the record was used up.
-- KEYS  1 the record
-- ARGV  1 how long it lives without being used, in seconds (or empty: reading changes nothing), 2 the field that holds
--       its end in milliseconds since 1970 (or empty)
-- Result  field, value, … of the record; nothing if it is missing, or if its end is over or unreadable
local idle_ttl, end_field = ARGV[1], ARGV[2]
if idle_ttl == '' then
  assert_writable_hash(KEYS[1])
  return redis.call('HGETALL', KEYS[1])
end
local now, ends_at = now_ms(), math.huge
if end_field ~= '' then
  ends_at = tonumber(redis.call('HGET', KEYS[1], end_field) or '')
end
if not ends_at or now > ends_at or redis.call('EXISTS', KEYS[1]) == 0 then
  assert_writable_hash(KEYS[1])
  return {}
end
redis.call('PEXPIREAT', KEYS[1], ms_argument(end_of_use(now, ends_at, idle_ttl)))
return redis.call('HGETALL', KEYS[1])
