-- include: write_records, join_lists, trail_key, write_entries
-- args: entries[], lists[], records[]
-- Writes records of one slot, and replaces existing ones.
-- KEYS  the records, then the lists that they join (none in a Cluster), then the audit trail if there are
--       entries
-- ARGV  entries: as write_entries; lists: for each what join_lists reads; records: for each its time to live in seconds (or
--       empty: no limit), its absolute expiry in milliseconds since 1970 (or empty), the number of arguments of its fields;
--       then field, value, …
-- Result  'ok'
local trail, trails = trail_key(entries_first, entries_last)
local last_record = #KEYS - trails - (lists_last - lists_first + 1) / 3
join_lists(last_record + 1, lists_first, lists_last)
write_records(1, records_first, last_record)
write_entries(trail, entries_first, entries_last)
return 'ok'
