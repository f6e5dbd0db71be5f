-- include: use_once, write_records
-- args: operation, ttls, client_id, ids, records[]
-- Uses up ids that may be used once, and writes a record in the same step.
-- KEYS  the ids that may be used once, then the record (or none)
-- ARGV  ttls: the seconds that the ids are kept, separated by spaces, ids: their number, records: as put-records
-- Result  -1: it is written | the position of the first id that was used before, from 0 on
local used = use_once(1, ttls, operation, client_id)
if used then
  return used
end
write_records(tonumber(ids) + 1, records_first)
return -1
