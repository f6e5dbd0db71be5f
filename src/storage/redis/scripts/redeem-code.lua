-- include: assert_writable, read_hash, now_ms, ms_argument, counted_arguments, end_of_use, secret_of, revoke_family
-- include: has_name, append, write_token
-- Redeems a code for tokens, once. It checks the bound fields before the status, so that only the client that the code
-- was issued to can spend it or cause its tokens to be revoked. A spent code whose record has expired is recognised by
-- its digest in the family.
-- KEYS  1 the code, 2 its family, 3 the family's index, 4 the mark of a withdrawn operation, then the tokens: the
--       refresh token (or none), the access token (or none)
-- ARGV  1 operation; lifetimes in seconds: 2 of access tokens, 3 of refresh tokens (or empty: there is none), 4 of
--       unused refresh tokens (or empty); 5 the scope that the code needs for a refresh token (or empty), 6 the digest of
--       the code and the bound fields, 7 of the part that the refresh tokens of the family share; then counted lists,
--       each: the number of its arguments, then these: the bound fields (field, value, …; an empty value: the field must
--       be absent), the fields of the code to copy to the family, and for each token its own fields (field, value, …)
-- Result  {'ok', field, value, … of the code} | {'mismatch', field} | {'missing'} | {'withdrawn'}
--         | {'replayed', '1' if mark-revoked must mark more tokens}
local code_key, family_key, index_key, operation = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
assert_writable(index_key)
if redis.call('EXISTS', KEYS[4]) == 1 then
  return { 'withdrawn' }
end
local code, code_digest = read_hash(code_key), ARGV[6]
if not code.status and redis.call('HGET', family_key, 'code_digest') == code_digest then
  return { 'replayed', revoke_family(family_key, index_key) }
end
if code.status ~= 'active' and code.status ~= 'spent' then
  return { 'missing' }
end
local bound_to, at = counted_arguments(8)
for i = 1, #bound_to, 2 do
  local field, value = bound_to[i], bound_to[i + 1]
  if code[field] ~= (value ~= '' and value or nil) then
    return { 'mismatch', field }
  end
end

local answer = { 'ok' }
for field, value in pairs(code) do
  answer[#answer + 1] = field
  answer[#answer + 1] = value
end
if code.status == 'spent' then
  if code.redeemed_by == operation then
    return answer
  end
  return { 'replayed', revoke_family(family_key, index_key) }
end
-- Fails before the first write if the key has a wrong type.
if redis.call('HGET', family_key, 'status') == 'revoked' then
  return { 'missing' }
end

local now = now_ms()
local subject, scope = code.subject or '', code.scope or ''
local refreshable = ARGV[3] ~= '' and (ARGV[5] == '' or has_name(scope, ARGV[5]))
local access_ttl, refresh_ttl = tonumber(ARGV[2]) * 1000, refreshable and tonumber(ARGV[3]) * 1000 or 0
local refresh_until = now + refresh_ttl
-- The last access token of a family is written before its last refresh token expires.
local family_expires = refresh_until + access_ttl

redis.call(
  'HSET', code_key,
  'status', 'spent', 'redeemed_by', operation, 'redeemable_until', ms_argument(now + redis.call('PTTL', code_key))
)
-- Kept for the same operation and its withdrawal. After that the family recognises a replay by its digest.
redis.call('PEXPIREAT', code_key, math.min(family_expires, now + 600000))
local grant = {
  'client_id', code.client_id,
  'subject', subject,
  'scope', scope,
  'auth_time', code.auth_time or '',
  'status', 'active',
  'code_digest', code_digest
}
if refreshable then
  append(grant, {
    'refresh_until', ms_argument(refresh_until),
    'refresh_digest', ARGV[7],
    'refresh_token', secret_of(KEYS[5])
  })
end
local kept
kept, at = counted_arguments(at)
for _, field in ipairs(kept) do
  if code[field] then
    append(grant, { field, code[field] })
  end
end
redis.call('HSET', family_key, unpack(grant))
redis.call('PEXPIREAT', family_key, family_expires)

local function issue(key, expires)
  local fields
  fields, at = counted_arguments(at)
  if expires then
    append(fields, { 'subject', subject, 'scope', scope, 'client_id', code.client_id })
    write_token(key, fields, expires, 'false')
    redis.call('ZADD', index_key, expires, key)
    redis.call('PEXPIREAT', index_key, family_expires)
  end
end
local access_key = KEYS[5]
if ARGV[3] ~= '' then
  access_key = KEYS[6]
  issue(KEYS[5], refreshable and end_of_use(now, refresh_until, ARGV[4]))
end
if access_key then
  issue(access_key, now + access_ttl)
end
return answer
