-- include: assert_writable_hash, counted_range, in_chunks, ms_argument
-- Sets and removes fields of a record that exists and is as expected. A field in both lists is removed. Its expiry changes
-- only by a time to live, which never shortens it.
-- KEYS  1 the record
-- ARGV  three counted lists, each: the number of its arguments, then these.
--       1 the expected fields: field, value, …; 2 the fields to set: field, value, …; 3 the fields to remove.
--       Then its least time to live in seconds; absent: it is not changed
-- Result  'ok' | 'missing' if it does not exist or is not as expected
if redis.call('EXISTS', KEYS[1]) == 0 then
  assert_writable_hash(KEYS[1])
  return 'missing'
end
local first_expected, last_expected = counted_range(1)
local first_set, last_set = counted_range(last_expected + 1)
for i = first_expected, last_expected, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) ~= ARGV[i + 1] then
    return 'missing'
  end
end
in_chunks('HSET', KEYS[1], first_set, last_set)
local first_unset, last_unset = counted_range(last_set + 1)
in_chunks('HDEL', KEYS[1], first_unset, last_unset)
local ttl = ARGV[last_unset + 1]
if ttl then
  local left = redis.call('PTTL', KEYS[1])
  if left >= 0 and left < tonumber(ttl) * 1000 then
    redis.call('PEXPIRE', KEYS[1], ms_argument(tonumber(ttl) * 1000))
  end
end
return 'ok'
