-- include: assert_writable_hash, write_records, join_lists, words_key, write_words, trail_key, write_entries
-- args: entries[], words[], lists[], records[]
-- Removes and returns a record, once, and writes others of its slot in the same step.
-- KEYS  1 the record, then the records to write; the first of them may be the record itself, which is then replaced; then
--       the lists that they join and the words of the kind (none in a Cluster), then the audit trail if there are entries
-- ARGV  entries, and those to write, as put-records
-- Result  field, value, … of the record; nothing if it is missing, and then nothing is written
local record = redis.call('HGETALL', KEYS[1])
if #record == 0 then
  assert_writable_hash(KEYS[1])
  return record
end
local trail, trails = trail_key(entries_first, entries_last)
local found_by, founds = words_key(words_first, words_last, trails)
local last_record = #KEYS - trails - founds - (lists_last - lists_first + 1) / 3
join_lists(last_record + 1, lists_first, lists_last)
write_words(found_by, words_first, words_last)
write_records(2, records_first, last_record)
if last_record == 1 or KEYS[2] ~= KEYS[1] then
  redis.call('DEL', KEYS[1])
end
write_entries(trail, entries_first, entries_last)
return record
