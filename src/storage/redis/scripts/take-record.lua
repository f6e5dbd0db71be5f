-- include: assert_writable_hash, write_records, join_lists
-- args: lists[], records[]
-- Removes and returns a record, once, and writes others of its slot in the same step.
-- KEYS  1 the record, then the records to write; the first of them may be the record itself, which is then replaced; then
--       the lists that they join (none in a Cluster)
-- ARGV  those to write, as put-records
-- Result  field, value, … of the record; nothing if it is missing, and then nothing is written
local record = redis.call('HGETALL', KEYS[1])
if #record == 0 then
  assert_writable_hash(KEYS[1])
  return record
end
local last_record = #KEYS - (lists_last - lists_first + 1) / 2
join_lists(last_record + 1, lists_first, lists_last)
write_records(2, records_first, last_record)
if last_record == 1 or KEYS[2] ~= KEYS[1] then
  redis.call('DEL', KEYS[1])
end
return record
