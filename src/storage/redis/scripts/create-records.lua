-- include: write_records, join_lists, words_key, write_words, trail_key, write_entries
-- args: entries[], words[], lists[], records[]
-- Writes records of one slot, unless one of them exists.
-- KEYS  the records, then the lists that they join and the words of their kind (none in a Cluster), then the
--       audit trail if there are entries
-- ARGV  as put-records
-- Result  'ok' | 'exists'
local trail, trails = trail_key(entries_first, entries_last)
local found_by, founds = words_key(words_first, words_last, trails)
local last_record = #KEYS - trails - founds - (lists_last - lists_first + 1) / 3
for i = 1, last_record do
  if redis.call('EXISTS', KEYS[i]) == 1 then
    return 'exists'
  end
end
join_lists(last_record + 1, lists_first, lists_last)
write_words(found_by, words_first, words_last)
write_records(1, records_first, last_record)
write_entries(trail, entries_first, entries_last)
return 'ok'
