-- Spends a code for tokens, once. Checks what the code is bound to before it looks whether it is spent, so
-- that nobody but the client it was issued to can burn it or have its tokens revoked.
-- KEYS  1 the code, 2 its grant, 3 the grant's index, 4 the mark of a withdrawn operation, 5 the refresh token,
--       6 the access token (or none)
-- ARGV  1 operation, 2 client_id, 3 redirect_uri, 4 code_challenge (or empty: none); lifetimes in seconds: 5 of access tokens,
--       6 of refresh tokens, 7 of one that is not used (or empty); 8 the refresh token's jti, 9 the access
--       token's jti (or none)
-- Result  {'ok', field, value, … of the code} | {'mismatch', field} | {'replayed'} | {'missing'} | {'withdrawn'}
local code_key, grant_key, index_key = KEYS[1], KEYS[2], KEYS[3]
assert_writable(index_key)
if redis.call('EXISTS', KEYS[4]) == 1 then
  return { 'withdrawn' }
end
local code = read_hash(code_key)
if code.status ~= 'active' and code.status ~= 'spent' then
  return { 'missing' }
end
-- No challenge fits no challenge, and nothing else.
local bound_to = { client_id = ARGV[2], redirect_uri = ARGV[3], code_challenge = ARGV[4] ~= '' and ARGV[4] or nil }
for _, field in ipairs({ 'client_id', 'redirect_uri', 'code_challenge' }) do
  if code[field] ~= bound_to[field] then
    return { 'mismatch', field }
  end
end

local answer = { 'ok' }
for field, value in pairs(code) do
  answer[#answer + 1] = field
  answer[#answer + 1] = value
end
if code.status == 'spent' then
  if code.redeemed_by == ARGV[1] then
    return answer
  end
  revoke_family(grant_key, index_key)
  return { 'replayed' }
end
-- A grant of a wrong type fails here, and not half way.
if redis.call('HGET', grant_key, 'status') == 'revoked' then
  return { 'missing' }
end

local now = now_ms()
local access_ttl, refresh_ttl = tonumber(ARGV[5]) * 1000, tonumber(ARGV[6]) * 1000
local refresh_until = now + refresh_ttl
-- The last access token of a family is written when its last refresh token ends, at the latest.
local grant_expires = refresh_until + access_ttl
local subject, scope = code.subject or '', code.scope or ''

redis.call(
  'HSET', code_key,
  'status', 'spent', 'redeemed_by', ARGV[1], 'redeemable_until', ms_argument(now + redis.call('PTTL', code_key))
)
redis.call('PEXPIREAT', code_key, ms_argument(grant_expires))
redis.call(
  'HSET', grant_key,
  'client_id', code.client_id,
  'subject', subject,
  'scope', scope,
  'auth_time', code.auth_time or '',
  'status', 'active',
  'refresh_until', ms_argument(refresh_until)
)
for _, field in ipairs({ 'username', 'sid', 'amr', 'acr', 'claims' }) do
  if code[field] then
    redis.call('HSET', grant_key, field, code[field])
  end
end
redis.call('PEXPIREAT', grant_key, ms_argument(grant_expires))

local function issue(key, jti, type, expires)
  write_token(key, {
    jti = jti, type = type, subject = subject, scope = scope, client_id = code.client_id, revoked = 'false',
  }, expires)
  redis.call('ZADD', index_key, ms_argument(expires), key)
end
issue(KEYS[5], ARGV[8], 'refresh_token', end_of_use(now, refresh_until, ARGV[7]))
if KEYS[6] then
  issue(KEYS[6], ARGV[9], 'access_token', now + access_ttl)
end
redis.call('PEXPIREAT', index_key, ms_argument(grant_expires))
return answer
