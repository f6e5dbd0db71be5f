-- include: assert_writable, now_ms, ms_argument, keep_queue
-- args: max, lease
-- Claims items of a queue that are due, and hides them from other callers until the lease ends. They stay in the queue,
-- so that no item is lost if the caller fails.
-- KEYS  1 the queue
-- ARGV  max: how many at most, lease: in seconds
-- Result  the items, the longest due first
assert_writable(KEYS[1])
local now = now_ms()
local lease_ends = now + tonumber(lease) * 1000
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ms_argument(now), 'LIMIT', 0, max)
for _, item in ipairs(due) do
  redis.call('ZADD', KEYS[1], ms_argument(lease_ends), item)
end
if #due > 0 then
  keep_queue(KEYS[1], now, lease_ends)
end
return due
