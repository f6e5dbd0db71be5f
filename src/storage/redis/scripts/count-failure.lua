-- include: now_ms, ms_argument, read_counter
-- args: field, shared, window, max
-- Counts a failure. The first one starts a window. If the bucket has no room for another counter, those go whose window is
-- over. If there are none, it is counted in one that all further names share, or that which counts least gives way.
-- KEYS  1 the bucket: a hash of counters
-- ARGV  field: that of the counter, shared: that of the shared counter; empty: another one gives way, window: its length in
--       milliseconds, max: how many counters have a field of their own
-- Result  {failures in the window, milliseconds until it ends, 1 if the bucket was full}
local bucket, now, is_full = KEYS[1], now_ms(), 0
if not redis.call('HGET', bucket, field) and redis.call('HLEN', bucket) >= tonumber(max) then
  local counters = redis.call('HGETALL', bucket)
  local least, fewest, first
  for i = 1, #counters, 2 do
    local failures, ends = read_counter(bucket, counters[i])
    if ends <= now then
      redis.call('HDEL', bucket, counters[i])
    elseif not least or failures < fewest or failures == fewest and ends < first then
      least, fewest, first = counters[i], failures, ends
    end
  end
  if redis.call('HLEN', bucket) >= tonumber(max) then
    is_full = 1
    if shared ~= '' then
      field = shared
    else
      redis.call('HDEL', bucket, least)
    end
  end
end
local failures, ends = read_counter(bucket, field)
if ends <= now then
  failures, ends = 0, now + tonumber(window)
end
redis.call('HSET', bucket, field, (failures + 1) .. ' ' .. ms_argument(ends))
if redis.call('PTTL', bucket) < ends - now then
  redis.call('PEXPIRE', bucket, ms_argument(ends - now))
end
return { failures + 1, ends - now, is_full }
