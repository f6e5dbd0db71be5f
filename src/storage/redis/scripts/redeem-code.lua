-- include: assert_writable, read_hash, now_ms, ms_argument, counted_arguments, end_of_use, revoke_family, write_token
-- Redeems a code for tokens, once. It checks the bound fields before the status, so that only the client that the code
-- was issued to can spend it or cause its tokens to be revoked.
-- KEYS  1 the code, 2 its family, 3 the family's index, 4 the mark of a withdrawn operation, 5 the refresh token,
--       6 the access token (or none)
-- ARGV  1 operation; lifetimes in seconds: 2 of access tokens, 3 of refresh tokens, 4 of unused refresh tokens (or
--       empty); then counted lists, each: the number of its arguments, then these: the bound fields (field, value, …;
--       an empty value: the field must be absent), the fields of the code to copy to the family, and for each token
--       its own fields (field, value, …)
-- Result  {'ok', field, value, … of the code} | {'mismatch', field} | {'replayed'} | {'missing'} | {'withdrawn'}
local code_key, family_key, index_key, operation = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
assert_writable(index_key)
if redis.call('EXISTS', KEYS[4]) == 1 then
  return { 'withdrawn' }
end
local code = read_hash(code_key)
if code.status ~= 'active' and code.status ~= 'spent' then
  return { 'missing' }
end
local bound_to, at = counted_arguments(5)
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
  revoke_family(family_key, index_key)
  return { 'replayed' }
end
-- Fails before the first write if the key has a wrong type.
if redis.call('HGET', family_key, 'status') == 'revoked' then
  return { 'missing' }
end

local now = now_ms()
local access_ttl, refresh_ttl = tonumber(ARGV[2]) * 1000, tonumber(ARGV[3]) * 1000
local refresh_until = now + refresh_ttl
-- The last access token of a family is written before its last refresh token expires.
local family_expires = refresh_until + access_ttl
local subject, scope = code.subject or '', code.scope or ''

redis.call(
  'HSET', code_key,
  'status', 'spent', 'redeemed_by', operation, 'redeemable_until', ms_argument(now + redis.call('PTTL', code_key))
)
redis.call('PEXPIREAT', code_key, ms_argument(family_expires))
redis.call(
  'HSET', family_key,
  'client_id', code.client_id,
  'subject', subject,
  'scope', scope,
  'auth_time', code.auth_time or '',
  'status', 'active',
  'refresh_until', ms_argument(refresh_until)
)
local kept
kept, at = counted_arguments(at)
for _, field in ipairs(kept) do
  if code[field] then
    redis.call('HSET', family_key, field, code[field])
  end
end
redis.call('PEXPIREAT', family_key, ms_argument(family_expires))

local function issue(key, expires)
  local fields
  fields, at = counted_arguments(at)
  for _, argument in ipairs({ 'subject', subject, 'scope', scope, 'client_id', code.client_id }) do
    fields[#fields + 1] = argument
  end
  write_token(key, fields, expires, 'false')
  redis.call('ZADD', index_key, ms_argument(expires), key)
end
issue(KEYS[5], end_of_use(now, refresh_until, ARGV[4]))
if KEYS[6] then
  issue(KEYS[6], now + access_ttl)
end
redis.call('PEXPIREAT', index_key, ms_argument(family_expires))
return answer
