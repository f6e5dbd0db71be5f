-- include: now_ms, ms_argument, keep_queue
-- Replaces an item that is still in the queue by one that is due later.
-- KEYS  1 the queue
-- ARGV  1 the item, 2 its replacement, 3 delay in seconds
-- Result  'ok' | 'missing'
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then
  return 'missing'
end
local now = now_ms()
local due = now + tonumber(ARGV[3]) * 1000
redis.call('ZADD', KEYS[1], ms_argument(due), ARGV[2])
keep_queue(KEYS[1], now, due)
return 'ok'
