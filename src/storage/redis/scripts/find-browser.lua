-- include: now_ms
-- args: name
-- Finds out what a browser of a user is bound to.
-- KEYS  1 the browsers of the user
-- ARGV  name: that of the browser
-- Result  what it is bound to; '' if it is unknown, or was remembered too long ago
local expires, bound_to = string.match(redis.call('HGET', KEYS[1], name) or '', '^(%d+) (.*)$')
if expires == nil or tonumber(expires) < now_ms() then
  return ''
end
return bound_to
