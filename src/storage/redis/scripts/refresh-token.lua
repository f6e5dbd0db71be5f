-- Uses a refresh token: spends it for a successor, or leaves it in use where there is none; writes the access
-- token. A token that was spent a moment ago gets the successor that it got then; a token that was spent
-- before that was copied, and its family is revoked. Everything is looked at before anything is spent.
-- KEYS  1 the refresh token, 2 its grant, 3 the grant's index, 4 the mark of a withdrawn operation, 5 the
--       successor (or the token itself, where it stays in use), 6 the access token (or none)
-- ARGV  1 operation, 2 client_id, 3 scope names that are asked for (or empty: all), 4 scope names that the
--       client may obtain, 5 retry window in seconds, 6 lifetime of a refresh token that is not used (or
--       empty) and 7 of the access token in seconds, 8 the successor's jti (or empty), 9 the successor sealed,
--       10 the access token's jti (or none)
-- Result  {'ok', scope, operation that spent the token, sealed successor, field, value, … of the grant}
--         | {'mismatch'} | {'scope'} | {'reused'} | {'missing'} | {'withdrawn'}
local token_key, grant_key, index_key, access_key = KEYS[1], KEYS[2], KEYS[3], KEYS[6]
local operation, rotates, idle_ttl = ARGV[1], ARGV[8] ~= '', ARGV[6]
assert_writable(index_key)
if redis.call('EXISTS', KEYS[4]) == 1 then
  return { 'withdrawn' }
end
local token, grant = read_hash(token_key), read_hash(grant_key)
local now = now_ms()
local refresh_until, left = tonumber(grant.refresh_until), redis.call('PTTL', grant_key)
if token.type ~= 'refresh_token' or grant.status ~= 'active' or left < 0 then
  return { 'missing' }
end
-- A grant that does not say whose it is and since when, or says another than the token, is nobody's.
local auth_time = string.match(grant.auth_time or '', '^%d+$')
if not refresh_until or not auth_time or #auth_time > 15 or (grant.subject or '') == '' then
  return { 'missing' }
end
if token.subject ~= grant.subject then
  return { 'missing' }
end
if token.client_id ~= ARGV[2] then
  return { 'mismatch' }
end

local function names(text)
  local list, set = {}, {}
  for name in string.gmatch(text, '%S+') do
    if not set[name] then
      list[#list + 1], set[name] = name, true
    end
  end
  return list, set
end
local granted, is_granted = names(token.scope or '')
local asked = names(ARGV[3])
for _, name in ipairs(asked) do
  -- RFC 6749 section 6: never more than was granted by the user.
  if not is_granted[name] then
    return { 'scope' }
  end
end
local _, is_allowed = names(ARGV[4])
local kept = {}
for _, name in ipairs(#asked > 0 and asked or granted) do
  if is_allowed[name] then
    kept[#kept + 1] = name
  end
end
local scope = table.concat(kept, ' ')

local function answer()
  local told = { 'ok', scope, token.spent_by or '', token.successor or '' }
  for field, value in pairs(grant) do
    told[#told + 1] = field
    told[#told + 1] = value
  end
  return told
end

local is_spent = token.spent_at ~= nil
if is_spent then
  local spent_at = tonumber(token.spent_at)
  if not spent_at or (token.spent_by or '') == '' or (token.successor or '') == '' then
    return { 'missing' }
  end
  -- The same operation again: what it wrote stands, whatever became of it since.
  if token.spent_by == operation or (access_key and redis.call('EXISTS', access_key) == 1) then
    return answer()
  end
  if now - spent_at >= tonumber(ARGV[5]) * 1000 then
    revoke_family(grant_key, index_key)
    return { 'reused' }
  end
  if now > refresh_until then
    return { 'missing' }
  end
  redis.call('HSET', token_key, 'retried', 'true')
elseif token.revoked ~= 'false' or not is_live(token.expires_at, now) then
  return { 'missing' }
elseif access_key and redis.call('EXISTS', access_key) == 1 then
  return answer()
end

local function issue(key, jti, type, granted_scope, expires)
  write_token(key, {
    jti = jti, type = type, subject = token.subject, scope = granted_scope,
    client_id = token.client_id, revoked = 'false',
  }, expires)
  add_to_family(grant_key, index_key, key, expires)
end
local use_ends = end_of_use(now, refresh_until, idle_ttl)
if rotates and not is_spent then
  token.spent_by, token.successor = operation, ARGV[9]
  redis.call(
    'HSET', token_key, 'revoked', 'true', 'spent_at', ms_argument(now), 'spent_by', operation, 'successor', ARGV[9]
  )
  -- Remembered as long as the family lives, so that a copy is noticed whenever it turns up.
  redis.call('PEXPIREAT', token_key, ms_argument(now + left))
  issue(KEYS[5], ARGV[8], 'refresh_token', token.scope or '', use_ends)
elseif not is_spent and idle_ttl ~= '' then
  redis.call('HSET', token_key, 'expires_at', iso8601(use_ends))
  redis.call('PEXPIREAT', token_key, ms_argument(use_ends))
  redis.call('ZADD', index_key, ms_argument(use_ends), token_key)
end
local access_expires = now + tonumber(ARGV[7]) * 1000
if access_key then
  issue(access_key, ARGV[10], 'access_token', scope, access_expires)
end
-- The grant speaks for a JWT too, which has no record.
keep_until(grant_key, access_expires)
keep_until(index_key, access_expires)
redis.call('ZREMRANGEBYSCORE', index_key, '-inf', '(' .. ms_argument(now))
return answer()
