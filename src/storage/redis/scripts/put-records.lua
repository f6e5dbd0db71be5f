-- include: write_records
-- Writes records of one slot, and replaces existing ones.
-- KEYS  the records
-- ARGV  for each record: 1 time to live in seconds (or empty: no limit), 2 absolute expiry in milliseconds since 1970
--       (or empty), 3 number of arguments of its fields; then field, value, …
-- Result  'ok'
write_records(1, 1)
return 'ok'
