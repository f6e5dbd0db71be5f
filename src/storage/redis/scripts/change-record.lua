-- include: assert_writable_hash, counted_range, in_chunks
-- Sets and removes fields of a record that exists and is as expected; its expiry does not change. A field in both lists
-- is removed.
-- KEYS  1 the record
-- ARGV  three counted lists, each: the number of its arguments, then these.
--       1 the expected fields: field, value, …; 2 the fields to set: field, value, …; 3 the fields to remove
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
in_chunks('HDEL', KEYS[1], counted_range(last_set + 1))
return 'ok'
