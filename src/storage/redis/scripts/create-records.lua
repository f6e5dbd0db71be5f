-- include: write_records, join_lists
-- args: lists[], records[]
-- Writes records of one slot, unless one of them exists.
-- KEYS  the records, then the lists that they join (none in a Cluster)
-- ARGV  as put-records
-- Result  'ok' | 'exists'
local last_record = #KEYS - (lists_last - lists_first + 1) / 2
for i = 1, last_record do
  if redis.call('EXISTS', KEYS[i]) == 1 then
    return 'exists'
  end
end
join_lists(last_record + 1, lists_first, lists_last)
write_records(1, records_first, last_record)
return 'ok'
