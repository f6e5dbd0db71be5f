-- include: now_ms, ms_argument, roster_end
-- args: name, text, ttl, max, keep
-- Makes an entry of a roster. If the roster is full, entries that have ended make room, or else the one that ends first
-- of the owner who has most: names begin with their owner, up to a space.
-- KEYS  1 the roster: a hash of `<end in milliseconds since 1970> <text>` by name
-- ARGV  name, text: the entry, ttl: milliseconds until it ends, max: how many entries there are at most, keep: an entry of
--       that name that has not ended stays as it is
-- Result  'ok'
local roster, now = KEYS[1], now_ms()
local own = roster_end(redis.call('HGET', roster, name))
if keep == '1' and own > now then
  return 'ok'
end
if own == 0 and redis.call('HLEN', roster) >= tonumber(max) then
  local counts, most = {}, 0
  local entries = redis.call('HGETALL', roster)
  for i = 1, #entries, 2 do
    if roster_end(entries[i + 1]) <= now then
      redis.call('HDEL', roster, entries[i])
    else
      local owner = string.match(entries[i], '^[^ ]*')
      counts[owner] = (counts[owner] or 0) + 1
      most = math.max(most, counts[owner])
    end
  end
  if redis.call('HLEN', roster) >= tonumber(max) then
    local first, least
    for i = 1, #entries, 2 do
      local ends = roster_end(entries[i + 1])
      if counts[string.match(entries[i], '^[^ ]*')] == most and (least == nil or ends < least) then
        first, least = entries[i], ends
      end
    end
    redis.call('HDEL', roster, first)
  end
end
redis.call('HSET', roster, name, ms_argument(now + tonumber(ttl)) .. ' ' .. text)
if redis.call('PTTL', roster) < tonumber(ttl) then
  redis.call('PEXPIRE', roster, ttl)
end
return 'ok'
