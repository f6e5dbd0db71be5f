-- include: write_records, join_lists, words_key, write_words, trail_key, write_entries
-- args: entries[], words[], lists[], records[]
-- Writes records of one slot, and replaces existing ones.
-- KEYS  the records, then the lists that they join and the words of their kind (none in a Cluster), then the
--       audit trail if there are entries
-- ARGV  entries: as write_entries; words: as write_words; lists: for each what join_lists reads; records: for each its
--       time to live in seconds (or empty: no limit), its absolute expiry in milliseconds since 1970 (or empty), the
--       number of arguments of its fields; then field, value, …
-- Result  'ok'
local trail, trails = trail_key(entries_first, entries_last)
local found_by, founds = words_key(words_first, words_last, trails)
local last_record = #KEYS - trails - founds - (lists_last - lists_first + 1) / 3
join_lists(last_record + 1, lists_first, lists_last)
write_words(found_by, words_first, words_last)
write_records(1, records_first, last_record)
write_entries(trail, entries_first, entries_last)
return 'ok'
