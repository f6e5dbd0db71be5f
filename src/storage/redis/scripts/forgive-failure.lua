-- include: ms_argument, read_counter
-- Subtracts one failure. The end of the window does not change.
-- KEYS  1 the bucket
-- ARGV  1 the field of the counter, 2 the field of the shared counter
-- Result  'ok'
local bucket, field = KEYS[1], ARGV[1]
if not redis.call('HGET', bucket, field) then
  field = ARGV[2]
end
local failures, ends = read_counter(bucket, field)
if failures > 0 then
  redis.call('HSET', bucket, field, (failures - 1) .. ' ' .. ms_argument(ends))
end
return 'ok'
