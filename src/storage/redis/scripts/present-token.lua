-- include: assert_writable, find_token, value_of, now_ms, is_live, use_once, trail_key, write_entries
-- args: operation, ttls, client_id, is_refresh, entries[]
-- Uses up ids that may be used once together with a token that stays as it is, if that and its family are live.
-- KEYS  1 the token, 2 its family, 3 the family's index, then the ids that may be used once, then the audit trail if there
--       are entries
-- ARGV  operation: uses the ids up, ttls: the seconds that these are kept, separated by spaces, client_id: who presents the
--       token, is_refresh: '1' for a refresh token, which has a record; otherwise it has one only once it is revoked,
--       entries: as write_entries
-- Result  {'ok'} | {'ended'} | {'used', the position of the first id that was used before}
assert_writable(KEYS[3])
local trail = trail_key(entries_first, entries_last)
local token, family = find_token(KEYS[1], KEYS[2], KEYS[3])
if value_of(family, 'status') ~= 'active' or (value_of(family, 'subject') or '') == '' then
  return { 'ended' }
end
if is_refresh == '1' then
  local is_own = value_of(token, 'type') == 'refresh_token' and value_of(token, 'client_id') == client_id
  if not is_own or value_of(token, 'revoked') ~= 'false' or not is_live(value_of(token, 'expires_at'), now_ms()) then
    return { 'ended' }
  end
elseif #token > 0 then
  return { 'ended' }
end
-- The last check, so that a request whose token does not count stores no ids.
local used = use_once(4, ttls, operation, client_id)
if used then
  return { 'used', used }
end
write_entries(trail, entries_first, entries_last)
return { 'ok' }
