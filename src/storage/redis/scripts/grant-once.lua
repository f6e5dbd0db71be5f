-- include: assert_writable, now_ms, ms_argument, write_token, add_field, append_binding, use_once, join_lists, note_jwt
-- include: trail_key, write_entries
-- args: jti, ttls, access_ttl, client_id, scope, subject, audience, jkt, x5t, is_jwt, entries[], lists[], fields[], act?, noted?
-- Uses up ids that may be used once, and writes what is granted for them: an access token, and for a user its family.
-- KEYS  1 the family, 2 the family's index, the access token (none for a JWT), then the ids that may be used once, then
--       where a JWT is noted (or none), then the lists that the family joins (none in a Cluster), then the audit trail if
--       there are entries
-- ARGV  jti: that of the access token, which is also the operation, ttls: the seconds that the ids are kept, separated by
--       spaces, access_ttl: the lifetime of access tokens in seconds, subject: empty: the client acts for itself, and has no
--       family, jkt and x5t: the thumbprints of the DPoP key and the certificate that the token is bound to (or empty),
--       is_jwt: '1' for a JWT, entries and lists: as put-records; there are entries only of a new family, fields: the
--       further fields of the family, or without one of the token: field, value, …, act: who acts with the token (or empty),
--       noted: as note_jwt
-- Result  -1: it is written | the position of the first id that was used before, from 0 on
local family_key, index_key = KEYS[1], KEYS[2]
local access_key = is_jwt ~= '1' and KEYS[3] or nil
assert_writable(index_key)
local trail, trails = trail_key(entries_first, entries_last)
local first_id = access_key and 4 or 3
-- Fails before the first write if the key has a wrong type.
local exists = redis.call('HLEN', family_key) > 0
-- An expired assertion with this jti has a family that still exists: it must not get tokens of this one.
if exists and subject ~= '' and ttls ~= '' and redis.call('HGET', KEYS[first_id], 'used_by') ~= jti then
  return 0
end
local used = use_once(first_id, ttls, jti, client_id)
if used then
  return used
end
local expires = now_ms() + math.floor(tonumber(access_ttl) * 1000)
local first_list = #KEYS - trails - (lists_last - lists_first + 1) / 3 + 1
note_jwt(KEYS[first_list - 1], noted, expires)
join_lists(first_list, lists_first, lists_last)
local expires_text = ms_argument(expires)
if subject ~= '' then
  local grant = { 'client_id', client_id, 'subject', subject, 'scope', scope, 'status', 'active' }
  for i = fields_first, fields_last do
    grant[#grant + 1] = ARGV[i]
  end
  append_binding(grant, jkt, x5t)
  redis.call('HSET', family_key, unpack(grant))
  redis.call('PEXPIREAT', family_key, expires_text)
end
if access_key then
  local owner, further = { subject = subject, client_id = client_id }, {}
  append_binding(further, jkt, x5t)
  if subject == '' then
    for i = fields_first, fields_last do
      further[#further + 1] = ARGV[i]
    end
  end
  if act ~= '' then
    add_field(further, 'act', act)
  end
  write_token(access_key, jti, 'access_token', owner, scope, audience, expires, expires_text, further)
  if subject ~= '' then
    redis.call('ZADD', index_key, expires_text, access_key)
    redis.call('PEXPIREAT', index_key, expires_text)
  end
end
if not exists then
  write_entries(trail, entries_first, entries_last)
end
return -1
