-- include: now_ms, ms_argument, trail_key, write_entries
-- args: digest, purpose, browser, max, ends_at, text, entries[]
-- Keeps evidence for an account. What has ended goes, and so does an older one of the same purpose and browser; if there
-- are too many, the one that ends first makes room.
-- KEYS  1 the evidence of the account: a hash of JSON texts by digest, then the audit trail if there are entries
-- ARGV  digest: that of its secret, purpose, browser: those of the evidence, max: how many there are at most,
--       ends_at: in milliseconds since 1970, text: the evidence as JSON, entries: as write_entries
-- Result  'ok'
local trail = trail_key(entries_first, entries_last)
local kept, now = KEYS[1], now_ms()
local entries = redis.call('HGETALL', kept)
local first, least
local latest, count = tonumber(ends_at), 0
for i = 1, #entries, 2 do
  local entry = cjson.decode(entries[i + 1])
  if entry.ends_at <= now or (entry.purpose == purpose and entry.browser == browser) then
    redis.call('HDEL', kept, entries[i])
  else
    count = count + 1
    latest = math.max(latest, entry.ends_at)
    if least == nil or entry.ends_at < least then
      first, least = entries[i], entry.ends_at
    end
  end
end
if count >= tonumber(max) then
  redis.call('HDEL', kept, first)
end
redis.call('HSET', kept, digest, text)
redis.call('PEXPIREAT', kept, ms_argument(latest))
write_entries(trail, entries_first, entries_last)
return 'ok'
