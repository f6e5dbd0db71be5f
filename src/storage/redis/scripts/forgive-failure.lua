-- include: ms_argument, read_counter
-- args: field, shared
-- Subtracts one failure. The end of the window does not change.
-- KEYS  1 the bucket
-- ARGV  field: that of the counter, shared: that of the shared counter, or empty
-- Result  'ok'
local bucket = KEYS[1]
if not redis.call('HGET', bucket, field) then
  field = shared
end
local failures, ends = read_counter(bucket, field)
if failures > 0 then
  redis.call('HSET', bucket, field, (failures - 1) .. ' ' .. ms_argument(ends))
end
return 'ok'
