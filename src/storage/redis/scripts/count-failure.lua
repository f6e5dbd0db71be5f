-- include: now_ms, ms_argument, read_counter
-- Counts a failure. The first one starts a window. If the bucket has no room for another counter, it is counted in one
-- that all further names share.
-- KEYS  1 the bucket: a hash of counters
-- ARGV  1 the field of the counter, 2 the field of the shared counter, 3 length of the window in milliseconds,
--       4 how many counters have a field of their own
-- Result  {failures in the window, milliseconds until it ends}
local bucket, field, shared, window, max = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local now = now_ms()
if not redis.call('HGET', bucket, field) and redis.call('HLEN', bucket) >= max then
  local counters = redis.call('HGETALL', bucket)
  for i = 1, #counters, 2 do
    local _, ends = read_counter(bucket, counters[i])
    if ends <= now then
      redis.call('HDEL', bucket, counters[i])
    end
  end
  if redis.call('HLEN', bucket) >= max then
    field = shared
  end
end
local failures, ends = read_counter(bucket, field)
if ends <= now then
  failures, ends = 0, now + window
end
redis.call('HSET', bucket, field, (failures + 1) .. ' ' .. ms_argument(ends))
if redis.call('PTTL', bucket) < ends - now then
  redis.call('PEXPIRE', bucket, ms_argument(ends - now))
end
return { failures + 1, ends - now }
