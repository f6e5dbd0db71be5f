-- include: assert_writable_hash, ms_argument, write_records, trail_key, write_entries
-- args: field, uses, stays, entries[], records[]
-- Takes a use from a record that has a number of them, or gives one back, and writes others of its slot in the same step.
-- KEYS  1 the record, then the records to write, then the audit trail if there are entries
-- ARGV  field: that with the uses that are left, uses: 1, or -1 to give one back, stays: 1 if the record stays when none is
--       left, entries and records: as put-records
-- Result  'ok' | 'missing' if there is no such record, or it has no use left
local record = KEYS[1]
local left = tonumber(redis.call('HGET', record, field) or '')
-- Text that is not a number reads as nil, and the text `nan` as a number for which every comparison is false.
if not left or not (left >= math.max(tonumber(uses), 0)) then
  assert_writable_hash(record)
  return 'missing'
end
local trail, trails = trail_key(entries_first, entries_last)
write_records(2, records_first, #KEYS - trails)
left = left - tonumber(uses)
if left < 1 and stays ~= '1' then
  redis.call('DEL', record)
else
  redis.call('HSET', record, field, ms_argument(left))
end
write_entries(trail, entries_first, entries_last)
return 'ok'
