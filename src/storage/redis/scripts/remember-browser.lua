-- include: now_ms, ms_argument, read_hash
-- args: name, bound_to, ttl, max, replaces, username, at
-- Remembers a browser of a user, and forgets the oldest ones beyond a number. Notes the sign-in.
-- KEYS  1 the browsers of the user, 2 the last sign-ins, where both may be keys of one script
-- ARGV  name: that of the browser, bound_to: what it is bound to, ttl: in milliseconds, max: how many are kept, replaces:
--       the name of the browser that it replaces (or empty), username: whose sign-in it is, at: when, in milliseconds
--       since 1970
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
if KEYS[2] then
  redis.call('ZADD', KEYS[2], at, username)
end
return 'ok'
