-- include: write_records, join_lists
-- args: lists[], records[]
-- Writes records of one slot, and replaces existing ones.
-- KEYS  the records, then the lists that they join (none in a Cluster)
-- ARGV  lists: for each the end of its entry in milliseconds since 1970, and the id; records: for each its time to live in
--       seconds (or empty: no limit), its absolute expiry in milliseconds since 1970 (or empty), the number of arguments of
--       its fields; then field, value, …
-- Result  'ok'
local last_record = #KEYS - (lists_last - lists_first + 1) / 2
join_lists(last_record + 1, lists_first, lists_last)
write_records(1, records_first, last_record)
return 'ok'
