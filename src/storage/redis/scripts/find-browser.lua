-- include: now_ms
-- Finds out what a browser of a user is bound to.
-- KEYS  1 the browsers of the user
-- ARGV  1 the browser
-- Result  what it is bound to; '' if it is unknown, or was remembered too long ago
local expires, bound_to = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^(%d+) (.*)$')
if expires == nil or tonumber(expires) < now_ms() then
  return ''
end
return bound_to
