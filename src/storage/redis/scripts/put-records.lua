-- include: write_records
-- args: records[]
-- Writes records of one slot, and replaces existing ones.
-- KEYS  the records
-- ARGV  records: for each its time to live in seconds (or empty: no limit), its absolute expiry in milliseconds since 1970
--       (or empty), the number of arguments of its fields; then field, value, …
-- Result  'ok'
write_records(1, records_first)
return 'ok'
