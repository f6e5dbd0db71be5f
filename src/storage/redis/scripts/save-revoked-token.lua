-- include: iso8601, trail_key, write_entries
-- args: expires, entries[], fields[]
-- Writes a revoked record for a token without a record, such as a JWT; one that has a record is revoked there.
-- KEYS  1 the token, then the audit trail if there are entries
-- ARGV  expires: in milliseconds since 1970, entries: as write_entries, written only if it was not revoked before, fields:
--       field, value, …
-- Result  'ok' | 'again' if it was revoked before
local trail = trail_key(entries_first, entries_last)
local revoked = redis.call('HGET', KEYS[1], 'revoked')
if revoked then
  redis.call('HSET', KEYS[1], 'revoked', 'true')
else
  redis.call('HSET', KEYS[1], 'expires_at', iso8601(tonumber(expires)), 'revoked', 'true', unpack(ARGV, fields_first))
  redis.call('PEXPIREAT', KEYS[1], expires)
end
if revoked == 'true' then
  return 'again'
end
write_entries(trail, entries_first, entries_last)
return 'ok'
