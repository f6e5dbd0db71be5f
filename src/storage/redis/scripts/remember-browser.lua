-- include: now_ms, ms_argument, read_hash
-- Remembers a browser of a user, and forgets the oldest ones beyond a number.
-- KEYS  1 the browsers of the user
-- ARGV  1 the browser, 2 what it is bound to, 3 time to live in milliseconds, 4 how many are kept, 5 the browser that it
--       replaces, or empty
-- Result  'ok'
local now = now_ms()
redis.call('HSET', KEYS[1], ARGV[1], ms_argument(now + tonumber(ARGV[3])) .. ' ' .. ARGV[2])
if ARGV[5] ~= '' and ARGV[5] ~= ARGV[1] then
  redis.call('HDEL', KEYS[1], ARGV[5])
end
local others = {}
for browser, value in pairs(read_hash(KEYS[1])) do
  if browser ~= ARGV[1] then
    others[#others + 1] = { browser = browser, expires = tonumber(string.match(value, '^%d+')) or 0 }
  end
end
table.sort(others, function(one, other)
  return one.expires > other.expires
end)
for place, other in ipairs(others) do
  if place >= tonumber(ARGV[4]) or other.expires < now then
    redis.call('HDEL', KEYS[1], other.browser)
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 'ok'
