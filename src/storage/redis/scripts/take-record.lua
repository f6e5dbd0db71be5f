-- include: assert_writable_hash, write_records
-- args: records[]
-- Removes and returns a record, once, and writes others of its slot in the same step.
-- KEYS  1 the record, then the records to write; the first of them may be the record itself, which is then replaced
-- ARGV  records: those to write, as put-records
-- Result  field, value, … of the record; nothing if it is missing, and then nothing is written
local record = redis.call('HGETALL', KEYS[1])
if #record == 0 then
  assert_writable_hash(KEYS[1])
  return record
end
write_records(2, records_first)
if KEYS[2] ~= KEYS[1] then
  redis.call('DEL', KEYS[1])
end
return record
