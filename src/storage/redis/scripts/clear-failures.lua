-- include: now_ms, ms_argument, read_counter
-- args: field, shared
-- Sets a failure counter to 0. The end of its window does not change. A name that shares a counter gets one of its own, so
-- that the failures of the other names stay counted.
-- KEYS  1 the bucket
-- ARGV  field: that of the counter, shared: that of the shared counter, or empty
-- Result  'ok'
local bucket, now = KEYS[1], now_ms()
local _, ends = read_counter(bucket, field)
if ends == 0 then
  _, ends = read_counter(bucket, shared)
end
if ends > now then
  redis.call('HSET', bucket, field, '0 ' .. ms_argument(ends))
end
return 'ok'
