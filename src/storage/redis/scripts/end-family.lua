-- include: assert_writable, revoke_family, keep_until, now_ms, trail_key, write_entries
-- args: ttl, entries[]
-- Revokes a family and all its tokens. A family that does not exist yet is written as revoked, so that its code cannot
-- be redeemed any more.
-- KEYS  1 the family, 2 its index, then the audit trail if there are entries
-- ARGV  ttl: for how many seconds the family is kept at least, entries: as write_entries, written only if the family was
--       not revoked before
-- Result  {'ok' | 'again' if it was revoked before, '1' if mark-revoked must mark more tokens}
assert_writable(KEYS[2])
-- A key of another type is no family.
local status = redis.pcall('HGET', KEYS[1], 'status')
local trail = trail_key(entries_first, entries_last)
if not status then
  redis.call('HSET', KEYS[1], 'status', 'revoked')
end
local more = revoke_family(KEYS[1], KEYS[2])
local now = now_ms()
keep_until(KEYS[1], now + tonumber(ttl) * 1000, now)
if status and status ~= 'active' then
  return { 'again', more }
end
write_entries(trail, entries_first, entries_last)
return { 'ok', more }
