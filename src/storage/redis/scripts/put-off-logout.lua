-- Puts a logout notice off that is still in the queue.
-- KEYS  1 the queue
-- ARGV  1 the notice, 2 what takes its place, 3 in how many seconds that is due
-- Result  'ok' | 'missing'
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then
  return 'missing'
end
local now = now_ms()
local due = now + tonumber(ARGV[3]) * 1000
redis.call('ZADD', KEYS[1], ms_argument(due), ARGV[2])
keep_queue(KEYS[1], now, due)
return 'ok'
