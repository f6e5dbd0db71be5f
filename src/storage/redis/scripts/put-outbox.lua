-- include: now_ms, ms_argument
-- args: max, ttl, items[]
-- Puts items at the end of an outbox, unless there is no room for all of them. Those that are there stay where they are;
-- those that are to be dropped make room.
-- KEYS  1 the outbox
-- ARGV  max: how many items there may be, ttl: in seconds, items: texts
-- Result  1: they are in the outbox, 0: there is no room
local now = now_ms()
local lifetime = tonumber(ttl) * 1000
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ms_argument(now - lifetime))
local added = {}
local seen = {}
for i = items_first, items_last do
  if not seen[ARGV[i]] and not redis.call('ZSCORE', KEYS[1], ARGV[i]) then
    seen[ARGV[i]] = true
    added[#added + 1] = ARGV[i]
  end
end
if redis.call('ZCARD', KEYS[1]) + #added > tonumber(max) then
  return 0
end
local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
local at = now
-- The order is that in which they were put, also within a millisecond.
if last ~= nil and tonumber(last) >= now then
  at = tonumber(last) + 1
end
for _, item in ipairs(added) do
  redis.call('ZADD', KEYS[1], ms_argument(at), item)
  at = at + 1
end
if #added > 0 then
  redis.call('PEXPIREAT', KEYS[1], ms_argument(at + lifetime))
end
return 1
