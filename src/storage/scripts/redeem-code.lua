-- Spends a code for tokens, once. Checks what the code is bound to before it looks whether it is spent, so
-- that nobody but the client it was issued to can burn it or have its tokens revoked.
-- KEYS  1 the code, 2 its grant, 3 the grant's index, 4 the refresh token, 5 the access token (or none)
-- ARGV  1 operation, 2 client_id, 3 redirect_uri, 4 code_challenge, 5 lifetime of the access token and
--       6 of the refresh token in seconds, 7 the refresh token's jti, 8 the access token's jti (or none)
-- Result  {'ok', field, value, … of the code} | {'mismatch', field} | {'replayed'} | {'missing'}
local code_key, grant_key, index_key = KEYS[1], KEYS[2], KEYS[3]
local code = read_hash(code_key)
if code.status ~= 'active' and code.status ~= 'spent' then
  return { 'missing' }
end
for i, field in ipairs({ 'client_id', 'redirect_uri', 'code_challenge' }) do
  if code[field] ~= ARGV[i + 1] then
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

local now = now_ms()
local access_ttl, refresh_ttl = tonumber(ARGV[5]) * 1000, tonumber(ARGV[6]) * 1000
local grant_expires = now + math.max(access_ttl, refresh_ttl)
local subject, scope = code.subject or '', code.scope or ''

redis.call('HSET', code_key, 'status', 'spent', 'redeemed_by', ARGV[1])
redis.call('PEXPIREAT', code_key, ms_argument(grant_expires))
redis.call(
  'HSET', grant_key,
  'client_id', code.client_id,
  'subject', subject,
  'scope', scope,
  'auth_time', code.auth_time or '',
  'status', 'active'
)
redis.call('PEXPIREAT', grant_key, ms_argument(grant_expires))

local function issue(key, jti, type, ttl)
  local token = {
    jti = jti, type = type, subject = subject, scope = scope, client_id = code.client_id, revoked = 'false',
  }
  write_token(key, token, now + ttl)
  redis.call('ZADD', index_key, ms_argument(now + ttl), key)
end
issue(KEYS[4], ARGV[7], 'refresh_token', refresh_ttl)
if KEYS[5] then
  issue(KEYS[5], ARGV[8], 'access_token', access_ttl)
end
redis.call('PEXPIREAT', index_key, ms_argument(grant_expires))
return answer
