-- include: assert_writable, read_hash, read_fields, state_of, revoke_family, trail_key, write_entries
-- args: digest, client[], entries[]
-- Revokes a token; a refresh token with its whole family, also one that was replaced and has no record any more.
-- KEYS  1 the token, 2 its family, 3 the family's index, then the audit trail if there are entries
-- ARGV  digest: that of the part that a refresh token shares with its family, client: the client_id that the token
--       must have (none: any), entries: as write_entries, written only if something changes
-- Result  {'ok' | 'again' if it was revoked before | 'missing' | 'mismatch', '1' if mark-revoked must mark more tokens}
assert_writable(KEYS[3])
local token = read_fields(KEYS[1], { 'type', 'client_id', 'revoked' })
local token_type, owner = token.type, token.client_id
local status
if token_type then
  -- A key of another type is no family.
  status = redis.pcall('HGET', KEYS[2], 'status')
else
  local family = read_hash(KEYS[2])
  if state_of(token, family, KEYS[1], digest) == 'unknown' then
    return { 'missing' }
  end
  owner, status = family.client_id, family.status
end
if client_first <= client_last and ARGV[client_first] ~= owner then
  return { 'mismatch' }
end
local is_refresh_token = not token_type or token_type == 'refresh_token'
local is_live = token_type and token.revoked ~= 'true' and (not status or status == 'active')
local is_change = is_live or (is_refresh_token and status == 'active')
local trail = trail_key(entries_first, entries_last)
if token_type then
  redis.call('HSET', KEYS[1], 'revoked', 'true')
end
local more = is_refresh_token and revoke_family(KEYS[2], KEYS[3]) or nil
if is_change then
  write_entries(trail, entries_first, entries_last)
end
return { is_change and 'ok' or 'again', more }
