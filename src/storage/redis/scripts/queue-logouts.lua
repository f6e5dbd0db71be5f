-- Adds logout notices that are due at once.
-- KEYS  1 the queue
-- ARGV  the notices
-- Result  'ok'
local now = now_ms()
for _, notice in ipairs(ARGV) do
  redis.call('ZADD', KEYS[1], ms_argument(now), notice)
end
keep_queue(KEYS[1], now, now)
return 'ok'
