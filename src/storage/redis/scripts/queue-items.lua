-- include: now_ms, ms_argument, keep_queue
-- Adds items to a queue that are due at once.
-- KEYS  1 the queue
-- ARGV  the items
-- Result  'ok'
local now = now_ms()
for _, item in ipairs(ARGV) do
  redis.call('ZADD', KEYS[1], ms_argument(now), item)
end
keep_queue(KEYS[1], now, now)
return 'ok'
