-- include: trail_key, write_entries
-- args: entries[], expected[], next[]
-- Replaces a whole hash if its fields still equal the expected ones.
-- KEYS  1 the hash, then the audit trail if there are entries
-- ARGV  entries: as write_entries, expected: the fields that it must have, next: those that it gets; each field, value, …
-- Result  1 | 0 if they differ
if redis.call('HLEN', KEYS[1]) ~= (expected_last - expected_first + 1) / 2 then
  return 0
end
for i = expected_first, expected_last, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) ~= ARGV[i + 1] then
    return 0
  end
end
local trail = trail_key(entries_first, entries_last)
-- The new fields come first: while a slot of a Cluster moves, no script can write to a key after it removed it.
local is_new = {}
for i = next_first, next_last, 2 do
  is_new[ARGV[i]] = true
end
if next_first <= next_last then
  redis.call('HSET', KEYS[1], unpack(ARGV, next_first, next_last))
end
for i = expected_first, expected_last, 2 do
  if not is_new[ARGV[i]] then
    redis.call('HDEL', KEYS[1], ARGV[i])
  end
end
write_entries(trail, entries_first, entries_last)
return 1
