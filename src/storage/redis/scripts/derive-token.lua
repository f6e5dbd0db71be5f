-- include: assert_writable, read_fields, has_ended_origin, is_live, now_ms, ms_argument, write_token, use_once
-- include: secret_of, add_to_index, add_field, append_binding, scope_names, has_name, trail_key, write_entries, note_jwt
-- args: jti, token_type, ttls, access_ttl, client_id, actor, scope, audience, is_jwt, max_live, max_depth, max_derived, entries[], fields[]
-- args: jkt?, x5t?, actor_token?, noted?
-- Derives an access token from another one of the same family (RFC 8693), if that, all that it was derived from, and the
-- family are live. It ends no later than the other one.
-- KEYS  1 the subject token, 2 its family, 3 the family's index, 4 its derived tokens, 5 the new token, then the ids that
--       may be used once, then where a JWT is noted (or none), then the audit trail if there are entries
-- ARGV  jti: of the new token, which is also the operation, token_type: of its record, ttls: the seconds that the ids are
--       kept, separated by spaces, access_ttl: the lifetime of the new token in seconds, is_jwt: '1' if the subject token
--       is a JWT, actor: the client as the grant record has it in ended_actors, max_live and max_derived: how many live
--       tokens and derived tokens a family can have, max_depth: from how many tokens one can be derived, entries: as
--       write_entries, fields: further fields of the record: field, value, …, jkt and x5t: the thumbprints of the DPoP key
--       and the certificate that it is bound to (or empty), actor_token: that proves the actor, as the record has it (or
--       empty); those of the subject token are added, noted: as note_jwt
-- Result  {'ok'} | {'ended'} | {'depth'} | {'many'} | {'used', the position of the first id that was used before}
local token_key, family_key, index_key, derived_key, new_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
assert_writable(index_key)
local trail, trails = trail_key(entries_first, entries_last)
local now = now_ms()
local family = read_fields(family_key, { 'status', 'subject', 'acting_until', 'ended_actors' })
local token = read_fields(token_key, { 'type', 'revoked', 'expires_at', 'derived_from', 'actor_token' })
if family.status ~= 'active' or (family.subject or '') == '' then
  return { 'ended' }
end
-- It was sent before.
if redis.call('EXISTS', new_key) == 1 then
  return { 'ok' }
end
local needed = is_jwt == '1' and 'access_jwt' or 'access_token'
if token.type then
  if token.type ~= needed or token.revoked ~= 'false' or not is_live(token.expires_at, now) then
    return { 'ended' }
  end
elseif is_jwt ~= '1' or token.revoked then
  return { 'ended' }
end
if has_ended_origin(token_key, token.derived_from, now) or has_name(family.ended_actors or '', actor) then
  return { 'ended' }
end
local origins = secret_of(token_key)
if not token.type then
  origins = origins .. '.jwt'
end
if token.derived_from then
  origins = origins .. ' ' .. token.derived_from
end
if #scope_names(origins) > tonumber(max_depth) then
  return { 'depth' }
end
local size = redis.call('ZCARD', index_key)
-- The first write: it fails if the key has a wrong type.
redis.call('ZREMRANGEBYSCORE', derived_key, '-inf', '(' .. ms_argument(now))
if redis.call('ZCARD', derived_key) >= tonumber(max_derived) then
  return { 'many' }
end
-- The last check, so that a request whose subject token does not count stores no ids.
local used = use_once(6, ttls, jti, client_id)
if used then
  return { 'used', used }
end
local ends = now + math.floor(access_ttl * 1000)
local left = token.type == 'access_token' and redis.call('PTTL', token_key) or -1
if left >= 0 then
  ends = math.min(ends, now + left)
end
local ends_at = ms_argument(ends)
note_jwt(KEYS[#KEYS - trails], noted, ends)
local owner, further = { subject = family.subject, client_id = client_id }, { 'derived_from', origins }
for i = fields_first, fields_last do
  further[#further + 1] = ARGV[i]
end
append_binding(further, jkt, x5t)
local actor_tokens = table.concat(scope_names(actor_token .. ' ' .. (token.actor_token or '')), ' ')
if actor_tokens ~= '' then
  add_field(further, 'actor_token', actor_tokens)
end
write_token(new_key, jti, token_type, owner, scope, audience, ends, ends_at, further)
local kept = math.max(redis.call('PTTL', derived_key), ends - now)
redis.call('ZADD', derived_key, ends_at, secret_of(new_key))
redis.call('PEXPIREAT', derived_key, ms_argument(now + kept))
if ends > (tonumber(family.acting_until) or 0) then
  redis.call('HSET', family_key, 'acting_until', ends_at)
end
if add_to_index(index_key, size, { ends_at, new_key }, false, now, tonumber(max_live)) then
  redis.call('PEXPIREAT', index_key, ms_argument(now + math.max(redis.call('PTTL', family_key), ends - now)))
end
write_entries(trail, entries_first, entries_last)
return { 'ok' }
