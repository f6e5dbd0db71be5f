-- include: now_ms, ms_argument, read_hash
-- args: name, bound_to, ttl, max, replaces
-- Remembers a browser of a user, and forgets the oldest ones beyond a number.
-- KEYS  1 the browsers of the user
-- ARGV  name: that of the browser, bound_to: what it is bound to, ttl: in milliseconds, max: how many are kept, replaces: the
--       name of the browser that it replaces (or empty)
-- Result  'ok'
local now = now_ms()
redis.call('HSET', KEYS[1], name, ms_argument(now + tonumber(ttl)) .. ' ' .. bound_to)
if replaces ~= '' and replaces ~= name then
  redis.call('HDEL', KEYS[1], replaces)
end
local others = {}
for browser, value in pairs(read_hash(KEYS[1])) do
  if browser ~= name then
    others[#others + 1] = { browser = browser, expires = tonumber(string.match(value, '^%d+')) or 0 }
  end
end
table.sort(others, function(one, other)
  return one.expires > other.expires
end)
for place, other in ipairs(others) do
  if place >= tonumber(max) or other.expires < now then
    redis.call('HDEL', KEYS[1], other.browser)
  end
end
redis.call('PEXPIRE', KEYS[1], ttl)
return 'ok'
