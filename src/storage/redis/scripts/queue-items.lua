-- include: now_ms, ms_argument, keep_queue
-- args: items[]
-- Adds items to a queue that are due at once.
-- KEYS  1 the queue
-- Result  'ok'
local now = now_ms()
for i = items_first, items_last do
  redis.call('ZADD', KEYS[1], ms_argument(now), ARGV[i])
end
keep_queue(KEYS[1], now, now)
return 'ok'
