-- include: assert_writable, now_ms, ms_argument, keep_queue
-- args: item, max, ahead
-- Adds an item to a queue that has room for it. It is due at once; an attempt that is repeated finds its item.
-- KEYS  1 the queue
-- ARGV  item: a text, max: how many items there may be, ahead: how many milliseconds it goes before what is added now
-- Result  1: it is in the queue, 0: there are too many
assert_writable(KEYS[1])
if redis.call('ZSCORE', KEYS[1], item) then
  return 1
end
if redis.call('ZCARD', KEYS[1]) >= tonumber(max) then
  return 0
end
local now = now_ms()
redis.call('ZADD', KEYS[1], ms_argument(now - tonumber(ahead)), item)
keep_queue(KEYS[1], now, now)
return 1
