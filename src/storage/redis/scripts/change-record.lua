-- include: assert_writable_hash, in_chunks, ms_argument, join_lists, has_read_words, words_key, write_words, trail_key, write_entries
-- args: ttl, whole, entries[], words[], lists[], expected[], set[], unset[]
-- Sets and removes fields of a record that exists and is as expected. A field in both lists is removed. Its expiry changes
-- only by a time to live, which never shortens it, and which may be Infinity.
-- KEYS  1 the record, then the lists that it joins and the words of its kind (none in a Cluster), then the audit
--       trail if there are entries
-- ARGV  ttl: its least time to live in seconds (or empty: it is not changed), whole: 1 if it may have no other fields than
--       the expected ones, entries and lists: as put-records, words: as write_words and has_read_words, expected: the
--       expected fields and set: the fields to set, each field, value, …, unset: the fields to remove
-- Result  'ok' | 'missing' if it does not exist or is not as expected | 'again' if its words are others
if redis.call('EXISTS', KEYS[1]) == 0 then
  assert_writable_hash(KEYS[1])
  return 'missing'
end
for i = expected_first, expected_last, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) ~= ARGV[i + 1] then
    return 'missing'
  end
end
if whole == '1' and redis.call('HLEN', KEYS[1]) * 2 > expected_last - expected_first + 1 then
  return 'missing'
end
if not has_read_words(KEYS[1], words_first, words_last) then
  return 'again'
end
local trail, trails = trail_key(entries_first, entries_last)
local found_by = words_key(words_first, words_last, trails)
join_lists(2, lists_first, lists_last)
write_words(found_by, words_first, words_last)
in_chunks('HSET', KEYS[1], set_first, set_last)
in_chunks('HDEL', KEYS[1], unset_first, unset_last)
if ttl == 'Infinity' then
  redis.call('PERSIST', KEYS[1])
elseif ttl ~= '' then
  local left = redis.call('PTTL', KEYS[1])
  if left >= 0 and left < tonumber(ttl) * 1000 then
    redis.call('PEXPIRE', KEYS[1], ms_argument(tonumber(ttl) * 1000))
  end
end
write_entries(trail, entries_first, entries_last)
return 'ok'
