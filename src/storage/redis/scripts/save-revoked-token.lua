-- include: iso8601, trail_key, write_entries
-- args: expires, entries[], fields[]
-- Writes a revoked record for a token without a record, such as a JWT.
-- KEYS  1 the token, then the audit trail if there are entries
-- ARGV  expires: in milliseconds since 1970, entries: as write_entries, written only if there was no record, fields: field,
--       value, …
-- Result  'ok' | 'again' if there was a record
local trail = trail_key(entries_first, entries_last)
local added = redis.call(
  'HSET',
  KEYS[1],
  'expires_at',
  iso8601(tonumber(expires)),
  'revoked',
  'true',
  unpack(ARGV, fields_first)
)
redis.call('PEXPIREAT', KEYS[1], expires)
if added == 0 then
  return 'again'
end
write_entries(trail, entries_first, entries_last)
return 'ok'
