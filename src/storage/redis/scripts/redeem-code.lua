-- include: assert_writable, read_hash, now_ms, ms_argument, end_of_use, secret_of, revoke_family, has_name, append
-- include: write_token, bind_token, poll_code, is_granted_target, part_of_scope, use_once
-- Redeems a code for tokens, once. It checks the bound fields before the status, so that only the client that the code
-- was issued to can spend it or cause its tokens to be revoked. A spent code whose record has expired is recognised by
-- its digest in the family. A code that waits for the answer of its user is not spent: the attempt is a poll.
-- KEYS  1 the code, 2 its family, 3 the family's index, 4 the mark of a withdrawn operation, then the tokens: the
--       refresh token (or none), the access token (or none); then the ids that may be used once
-- ARGV  1 operation; lifetimes in seconds: 2 of access tokens, 3 of refresh tokens, 4 of unused refresh tokens (or
--       empty); 5 the scope that the code needs for a refresh token (or empty), 6 the digest of the code and the bound
--       fields, 7 of the part that the refresh tokens of the family share, 8 the jti of the refresh token (or empty:
--       there is none) and 9 of the access token; of the access token: 10 the resources that it is for (or empty), 11
--       its audience (or empty) and 12 the names that its scope may have (blank: none; empty: any); 13 the seconds that the ids are
--       kept, separated by spaces, and 14 the client_id that uses them; 15 the thumbprint of a DPoP key and 16 that of a
--       certificate that the tokens are bound to (or empty), 17 '1' if the refresh token is bound, too; 18 the number of
--       arguments of the bound fields, then these: field, value, … (an empty value: the field must be absent); then the
--       fields of the code to copy to the family
-- Result  {'ok', the code: {field, value, …}} | {'mismatch', field} | {'target', the resources of the code}
--         | {'missing'} | {'withdrawn'} | {'pending' | 'slow_down' | 'denied'}
--         | {'used', the position of the first id that was used before, from 0 on}
--         | {'replayed', '1' if mark-revoked must mark more tokens}
local code_key, family_key, index_key, operation = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local refresh_key = ARGV[8] ~= '' and KEYS[5] or nil
local first_id = refresh_key and 6 or 5
local access_key
if ARGV[9] ~= '' then
  access_key, first_id = KEYS[first_id], first_id + 1
end
assert_writable(index_key)
if redis.call('EXISTS', KEYS[4]) == 1 then
  return { 'withdrawn' }
end
local code, code_fields = read_hash(code_key)
local code_digest = ARGV[6]
if not code.status and redis.call('HGET', family_key, 'code_digest') == code_digest then
  return { 'replayed', revoke_family(family_key, index_key) }
end
local is_answerable = { active = true, spent = true, pending = true, denied = true }
if not is_answerable[code.status] then
  return { 'missing' }
end
local last_bound = 18 + tonumber(ARGV[18])
for i = 19, last_bound, 2 do
  local field, value = ARGV[i], ARGV[i + 1]
  if code[field] ~= (value ~= '' and value or nil) then
    return { 'mismatch', field }
  end
end
-- RFC 9449 section 10.
if code.dpop_jkt and code.dpop_jkt ~= ARGV[15] then
  return { 'mismatch', 'dpop_jkt' }
end
if code.status == 'pending' then
  return { poll_code(code_key, code, operation) }
end
if code.status == 'denied' then
  return { 'denied' }
end
if code.status == 'spent' then
  if code.redeemed_by == operation then
    return { 'ok', code_fields }
  end
  return { 'replayed', revoke_family(family_key, index_key) }
end
if not is_granted_target(code.resource or '', ARGV[10]) then
  return { 'target', code.resource or '' }
end
-- The family was ended before, or is of another code. Fails before the first write if the key has a wrong type.
if redis.call('HLEN', family_key) > 0 then
  return { 'missing' }
end
-- The last check, so that a request without a code that can be redeemed stores no ids.
local used = use_once(first_id, ARGV[13], operation, ARGV[14])
if used then
  return { 'used', used }
end

local now = now_ms()
local scope = code.scope or ''
if ARGV[5] ~= '' and not has_name(scope, ARGV[5]) then
  refresh_key = nil
end
local access_ttl = tonumber(ARGV[2]) * 1000
local refresh_until = now + (refresh_key and tonumber(ARGV[3]) * 1000 or 0)
-- The last access token of a family is written before its last refresh token expires.
local family_expires = refresh_until + access_ttl
local family_expires_text = ms_argument(family_expires)

redis.call(
  'HSET', code_key,
  'status', 'spent', 'redeemed_by', operation, 'redeemable_until', ms_argument(now + redis.call('PTTL', code_key))
)
-- Kept for the same operation and its withdrawal. After that the family recognises a replay by its digest.
redis.call('PEXPIREAT', code_key, ms_argument(math.min(family_expires, now + 600000)))
local grant = {
  'client_id', code.client_id,
  'subject', code.subject or '',
  'scope', scope,
  'auth_time', code.auth_time or '',
  'status', 'active',
  'code_digest', code_digest
}
if refresh_key then
  append(grant, {
    'refresh_until', ms_argument(refresh_until),
    'refresh_digest', ARGV[7],
    'refresh_token', secret_of(refresh_key)
  })
end
for i = last_bound + 1, #ARGV do
  if code[ARGV[i]] then
    append(grant, { ARGV[i], code[ARGV[i]] })
  end
end
redis.call('HSET', family_key, unpack(grant))
redis.call('PEXPIREAT', family_key, family_expires_text)

local function issue(key, jti, token_type, token_scope, audience, expires)
  local expires_text = ms_argument(expires)
  write_token(key, jti, token_type, code, token_scope, audience, expires, expires_text)
  redis.call('ZADD', index_key, expires_text, key)
end
if refresh_key then
  issue(refresh_key, ARGV[8], 'refresh_token', scope, '', end_of_use(now, refresh_until, ARGV[4]))
  if ARGV[17] == '1' then
    bind_token(refresh_key, ARGV[15], ARGV[16])
  end
end
if access_key then
  local token_scope = ARGV[12] == '' and scope or part_of_scope(scope, ARGV[12])
  issue(access_key, ARGV[9], 'access_token', token_scope, ARGV[11], now + access_ttl)
  bind_token(access_key, ARGV[15], ARGV[16])
end
if refresh_key or access_key then
  redis.call('PEXPIREAT', index_key, family_expires_text)
end
return { 'ok', code_fields }
