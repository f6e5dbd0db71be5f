-- include: assert_writable_hash, in_chunks, whole_number, has_read_words, words_key, write_words, trail_key, write_entries
-- args: records, whole, count, entries[], words[], expected[], absent[], set[], unset[], beside_expected[], beside_absent[], beside_set[], beside_unset[]
-- Sets and removes fields of a record that exists and is as expected, and of another one that is as expected: both or
-- neither. The change may be counted in a field of the first.
-- KEYS  1 the record, then the other one if there are two, then the words of its kind (none in a Cluster), then the
--       audit trail if there are entries
-- ARGV  records: 1 or 2, whole: 1 if the record may have no other fields than the expected ones, count: the field that is
--       counted up (or empty), entries: as put-records, words: as change-record, expected: the expected fields and set:
--       the fields to set, each field, value, …, absent: the fields that must be missing or empty, unset: the fields to
--       remove, beside_…: the same of the other record, which may be missing
-- Result  'ok' | 'missing' if the record does not exist or one of them is not as expected | 'again' if its words are others
local function is_as_expected(key, first, last, absent_first, absent_last)
  for i = first, last, 2 do
    if redis.call('HGET', key, ARGV[i]) ~= ARGV[i + 1] then
      return false
    end
  end
  for i = absent_first, absent_last do
    if (redis.call('HGET', key, ARGV[i]) or '') ~= '' then
      return false
    end
  end
  return true
end

if redis.call('EXISTS', KEYS[1]) == 0 then
  assert_writable_hash(KEYS[1])
  return 'missing'
end
if not is_as_expected(KEYS[1], expected_first, expected_last, absent_first, absent_last) then
  return 'missing'
end
if whole == '1' and redis.call('HLEN', KEYS[1]) * 2 > expected_last - expected_first + 1 then
  return 'missing'
end
local is_pair = records == '2'
if
  is_pair
  and not is_as_expected(KEYS[2], beside_expected_first, beside_expected_last, beside_absent_first, beside_absent_last)
then
  return 'missing'
end
if not has_read_words(KEYS[1], words_first, words_last) then
  return 'again'
end
local trail, trails = trail_key(entries_first, entries_last)
local found_by = words_key(words_first, words_last, trails)
write_words(found_by, words_first, words_last)
if is_pair then
  in_chunks('HSET', KEYS[2], beside_set_first, beside_set_last)
  in_chunks('HDEL', KEYS[2], beside_unset_first, beside_unset_last)
end
in_chunks('HSET', KEYS[1], set_first, set_last)
in_chunks('HDEL', KEYS[1], unset_first, unset_last)
if count ~= '' then
  redis.call('HSET', KEYS[1], count, string.format('%.0f', (whole_number(redis.call('HGET', KEYS[1], count)) or 0) + 1))
end
write_entries(trail, entries_first, entries_last)
return 'ok'
