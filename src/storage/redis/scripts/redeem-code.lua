-- include: assert_writable, read_hash, now_ms, ms_argument, end_of_use, secret_of, revoke_family, has_name, add_field
-- include: write_token, append_details, poll_code, is_granted_target, part_of_scope, use_once, append_binding, values_of, note_jwt
-- fields: CODE_FACTS, SIGN_IN_FIELDS
-- args: operation, access_ttl, refresh_ttl, code_digest, refresh_digest, refresh_jti, access_jti, client_id
-- args: user_lists, client_list
-- args: bound[], scopes?, idle_ttl?, jkt?, x5t?, binds_refresh?, resource?, audience?, refresh_scope?, ttls?, details?, noted?
-- Redeems a code for tokens, once. It checks the bound fields before the status, so that only the client that the code
-- was issued to can spend it or cause its tokens to be revoked. A spent code whose record has expired is recognised by
-- its digest in the family. A code that waits for the answer of its user is not spent: the attempt is a poll.
-- The field refresh_for of the code limits for how many seconds the tokens can be refreshed.
-- KEYS  1 the code, 2 its family, 3 the family's index, 4 the mark of a withdrawn operation, then the tokens: the
--       refresh token (or none), the access token (or none); then the ids that may be used once, then where a JWT is noted
-- ARGV  access_ttl, refresh_ttl: lifetimes in seconds, idle_ttl: that of unused refresh tokens (or empty), refresh_scope:
--       the scope that the code needs for a refresh token (or empty), code_digest: of the code and the bound fields,
--       refresh_digest: of the part that the refresh tokens of the family share, refresh_jti: empty: there is no refresh
--       token; of the access token: access_jti (or empty), resource: what it is for (or empty), audience, scopes: the names
--       that its scope may have (blank: none; empty: any); ttls: the seconds that the ids are kept, separated by spaces,
--       client_id: that uses them, user_lists: what the keys of users' lists of grants begin with, client_list: that of the
--       client (both empty in a Cluster), jkt and x5t: the thumbprints of the DPoP key and the certificate that the
--       tokens are bound to (or empty), binds_refresh: '1' if the refresh token is bound, too, details: of the access
--       token (empty: those of the code; '?': tell those of the code, and change nothing), bound: field, value, … of
--       the code (an empty value: the field must be absent), noted: as note_jwt
-- Result  {'ok', the code: its values for CODE_FACTS (false: it has none)} | {'mismatch', field} | {'target', the
--       resources of the code} | {'details', those of the code} | {'missing'} | {'withdrawn'} | {'pending' | 'slow_down' |
--       'denied'}
--         | {'used', the position of the first id that was used before, from 0 on}
--         | {'replayed', '1' if mark-revoked must mark more tokens}
local code_key, family_key, index_key = KEYS[1], KEYS[2], KEYS[3]
local refresh_key = refresh_jti ~= '' and KEYS[5] or nil
local first_id = refresh_key and 6 or 5
local access_key
if access_jti ~= '' then
  access_key, first_id = KEYS[first_id], first_id + 1
end

-- An answer without a write of its own: it must not come from a server that accepts none.
local function unchanged(...)
  assert_writable(index_key)
  return { ... }
end

-- One call for both: usually there is neither the mark nor the family.
local is_first = redis.call('EXISTS', KEYS[4], family_key) == 0
if not is_first and redis.call('EXISTS', KEYS[4]) == 1 then
  return unchanged('withdrawn')
end
local code = read_hash(code_key)
local function replayed()
  assert_writable(index_key)
  return { 'replayed', revoke_family(family_key, index_key) }
end
if not code.status and redis.call('HGET', family_key, 'code_digest') == code_digest then
  return replayed()
end

local status = code.status
if status ~= 'active' and status ~= 'spent' and status ~= 'pending' and status ~= 'denied' then
  return unchanged('missing')
end
for i = bound_first, bound_last, 2 do
  local field, value = ARGV[i], ARGV[i + 1]
  if code[field] ~= (value ~= '' and value or nil) then
    return unchanged('mismatch', field)
  end
end
-- RFC 9449 section 10.
if code.dpop_jkt and code.dpop_jkt ~= jkt then
  return unchanged('mismatch', 'dpop_jkt')
end
if status == 'pending' then
  assert_writable(index_key)
  return { poll_code(code_key, code, operation) }
end
if status == 'denied' then
  return unchanged('denied')
end
if status == 'spent' then
  return code.redeemed_by == operation and unchanged('ok', values_of(code, CODE_FACTS)) or replayed()
end
if not is_granted_target(code.resource or '', resource) then
  return unchanged('target', code.resource or '')
end
if details == '?' then
  return unchanged('details', code.authorization_details or '')
end
-- The family was ended before, or is of another code. Fails before the first write if the key has a wrong type.
if not is_first and redis.call('HLEN', family_key) > 0 then
  return unchanged('missing')
end
if ttls ~= '' then
  -- Otherwise the first write is that to the index.
  assert_writable(index_key)
end
-- The last check, so that a request without a code that can be redeemed stores no ids.
local used = use_once(first_id, ttls, operation, client_id)
if used then
  return { 'used', used }
end

local now = now_ms()
local scope = code.scope or ''
if refresh_scope ~= '' and not has_name(scope, refresh_scope) then
  refresh_key = nil
end
local access_ms = math.floor(access_ttl * 1000)
local refresh_for = math.min(refresh_ttl, tonumber(code.refresh_for) or refresh_ttl)
local refresh_until = now + (refresh_key and math.floor(refresh_for * 1000) or 0)
-- The last access token of a family is written before its last refresh token expires.
local family_expires = refresh_until + access_ms
local family_until = ms_argument(family_expires)

-- The live tokens: expiry, key, …
local live = {}
local refresh_ends = end_of_use(now, refresh_until, idle_ttl)
local refresh_ends_at, access_ends_at
if refresh_key then
  refresh_ends_at = ms_argument(refresh_ends)
  add_field(live, refresh_ends_at, refresh_key)
end
if access_key then
  access_ends_at = ms_argument(now + access_ms)
  add_field(live, access_ends_at, access_key)
end
note_jwt(KEYS[#KEYS], noted, now + access_ms)
-- First, because it fails if the index has a wrong type.
if #live > 0 then
  redis.call('ZADD', index_key, unpack(live))
  redis.call('PEXPIREAT', index_key, family_until)
end
-- Until now the entries of the family ended with the code. The list of the user is no key of KEYS: only the code says
-- whose it is. Entries that are gone are not added: their list would have no end.
if client_list ~= '' then
  -- The lifetime of access tokens can grow until the last one is issued: to a day.
  local listed_until = refresh_key and refresh_until + 86400000 or family_expires
  local id = string.match(family_key, '{(.-)}') .. ':' .. (code.started_at or '0')
  for _, list in ipairs({ client_list, user_lists .. (code.username or '') }) do
    redis.call('ZADD', list, 'XX', ms_argument(listed_until), id)
    -- A list lives an hour longer than its last entry.
    if listed_until - now > 3600000 and redis.call('PTTL', list) < listed_until - now then
      redis.call('PEXPIREAT', list, ms_argument(listed_until + 3600000))
    end
  end
end
redis.call(
  'HSET', code_key,
  'status', 'spent', 'redeemed_by', operation, 'redeemable_until', ms_argument(now + redis.call('PTTL', code_key))
)
-- Kept for the same operation and its withdrawal. After that the family recognises a replay by its digest.
redis.call('PEXPIREAT', code_key, family_expires < now + 600000 and family_until or ms_argument(now + 600000))
local grant = {
  'client_id', code.client_id,
  'subject', code.subject or '',
  'scope', scope,
  'auth_time', code.auth_time or '',
  'status', 'active',
  'code_digest', code_digest
}
if refresh_key then
  add_field(grant, 'refresh_until', idle_ttl == '' and refresh_ends_at or ms_argument(refresh_until))
  add_field(grant, 'refresh_digest', refresh_digest)
  add_field(grant, 'refresh_token', secret_of(refresh_key))
end
for _, field in ipairs(SIGN_IN_FIELDS) do
  if code[field] then
    add_field(grant, field, code[field])
  end
end
append_binding(grant, jkt, x5t)
redis.call('HSET', family_key, unpack(grant))
redis.call('PEXPIREAT', family_key, family_until)

if refresh_key then
  local further = {}
  if binds_refresh == '1' then
    append_binding(further, jkt, x5t)
  end
  write_token(refresh_key, refresh_jti, 'refresh_token', code, scope, '', refresh_ends, refresh_ends_at, further)
end
if access_key then
  local token_scope = scopes == '' and scope or part_of_scope(scope, scopes)
  local further, ends = {}, now + access_ms
  append_binding(further, jkt, x5t)
  append_details(further, details, code)
  write_token(access_key, access_jti, 'access_token', code, token_scope, audience, ends, access_ends_at, further)
end
return { 'ok', values_of(code, CODE_FACTS) }
