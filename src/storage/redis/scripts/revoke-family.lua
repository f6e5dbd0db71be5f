-- include: assert_writable, revoke_family, trail_key, write_entries
-- args: entries[]
-- Revokes a family and all its tokens.
-- KEYS  1 the family, 2 its index, then the audit trail if there are entries
-- ARGV  entries: as write_entries, written only if the family was not revoked before
-- Result  {'ok' | 'again' if it was revoked before | 'missing', '1' if mark-revoked must mark more tokens}
assert_writable(KEYS[2])
-- A key of another type is no family.
local status = redis.pcall('HGET', KEYS[1], 'status')
if not status and redis.call('EXISTS', KEYS[1]) == 0 then
  return { 'missing' }
end
local trail = trail_key(entries_first, entries_last)
local more = revoke_family(KEYS[1], KEYS[2])
if status and status ~= 'active' then
  return { 'again', more }
end
write_entries(trail, entries_first, entries_last)
return { 'ok', more }
