-- include: write_records
-- args: records[]
-- Writes records of one slot, unless one of them exists.
-- KEYS  the records
-- ARGV  records: as put-records
-- Result  'ok' | 'exists'
for _, key in ipairs(KEYS) do
  if redis.call('EXISTS', key) == 1 then
    return 'exists'
  end
end
write_records(1, records_first)
return 'ok'
