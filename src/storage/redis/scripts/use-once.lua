-- include: use_once, write_records
-- Uses up ids that may be used once, and writes a record in the same step.
-- KEYS  the ids that may be used once, then the record (or none)
-- ARGV  1 operation, 2 the seconds that the ids are kept, separated by spaces, 3 client_id, 4 the number of ids; then the
--       record as in put-records
-- Result  -1: it is written | the position of the first id that was used before, from 0 on
local used = use_once(1, ARGV[2], ARGV[1], ARGV[3])
if used then
  return used
end
write_records(tonumber(ARGV[4]) + 1, 5)
return -1
