-- include: write_records
-- Writes records of one slot, in place of those that are there.
-- KEYS  the records
-- ARGV  for each record: 1 time to live in seconds (or empty: for ever), 2 its end in any case in milliseconds since
--       1970 (or empty), 3 how many arguments its fields take; then field, value, …
-- Result  'ok'
write_records(1, 1)
return 'ok'
