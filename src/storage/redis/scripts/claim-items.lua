-- include: assert_writable, now_ms, ms_argument, keep_queue
-- Takes items of a queue that are due, and keeps them from others for a while. They stay in the queue, so that none is
-- lost with the server that took it.
-- KEYS  1 the queue
-- ARGV  1 how many at most, 2 for how long they are kept from others, in seconds
-- Result  the items, those that have been due the longest first
assert_writable(KEYS[1])
local now = now_ms()
local lease_ends = now + tonumber(ARGV[2]) * 1000
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ms_argument(now), 'LIMIT', 0, ARGV[1])
for _, item in ipairs(due) do
  redis.call('ZADD', KEYS[1], ms_argument(lease_ends), item)
end
if #due > 0 then
  keep_queue(KEYS[1], now, lease_ends)
end
return due
