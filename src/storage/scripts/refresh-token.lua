-- Uses a refresh token: spends it for a successor, or leaves it in use where there is none; writes the access
-- token. A token that was spent a moment ago gets the successor that it got then; a token that was spent
-- before that was copied, and its family is revoked. Everything is looked at before anything is spent.
-- KEYS  1 the refresh token, 2 its grant, 3 the grant's index, 4 the successor (or the token itself, where it
--       stays in use), 5 the access token (or none)
-- ARGV  1 operation, 2 client_id, 3 scope names that are asked for (or empty: all), 4 scope names that the
--       client may obtain, 5 retry window in seconds, 6 idle lifetime of refresh tokens in seconds (or empty),
--       7 lifetime of the access token in seconds, 8 the successor's jti (or empty), 9 the successor sealed,
--       10 the access token's jti (or none)
-- Result  {'ok', subject, scope, auth_time, operation that spent the token, sealed successor} | {'mismatch'}
--         | {'scope'} | {'reused'} | {'missing'}
local token, grant = read_hash(KEYS[1]), read_hash(KEYS[2])
local now = now_ms()
if token.type ~= 'refresh_token' or grant.status ~= 'active' then
  return { 'missing' }
end
if token.client_id ~= ARGV[2] then
  return { 'mismatch' }
end

local function names(text)
  local list, set = {}, {}
  for name in string.gmatch(text, '%S+') do
    list[#list + 1], set[name] = name, true
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

local grant_expires = now + redis.call('PTTL', KEYS[2])
if token.spent_at then
  if token.spent_by ~= ARGV[1] and now - tonumber(token.spent_at) >= tonumber(ARGV[5]) * 1000 then
    revoke_family(KEYS[2], KEYS[3])
    return { 'reused' }
  end
elseif token.revoked ~= 'false' or (token.expires_at or '') < iso8601(now) then
  return { 'missing' }
elseif ARGV[8] ~= '' then
  token.spent_by, token.successor = ARGV[1], ARGV[9]
  redis.call(
    'HSET', KEYS[1], 'revoked', 'true', 'spent_at', ms_argument(now), 'spent_by', ARGV[1], 'successor', ARGV[9]
  )
  -- Remembered as long as the family lives, so that a copy is noticed whenever it turns up.
  redis.call('PEXPIREAT', KEYS[1], ms_argument(grant_expires))
  local expires = grant_expires
  if ARGV[6] ~= '' then
    expires = math.min(expires, now + tonumber(ARGV[6]) * 1000)
  end
  write_token(KEYS[4], {
    jti = ARGV[8], type = 'refresh_token', subject = token.subject, scope = token.scope,
    client_id = token.client_id, revoked = 'false',
  }, expires)
  add_to_family(KEYS[2], KEYS[3], KEYS[4], expires)
end

if KEYS[5] then
  local expires = now + tonumber(ARGV[7]) * 1000
  write_token(KEYS[5], {
    jti = ARGV[10], type = 'access_token', subject = token.subject, scope = scope,
    client_id = token.client_id, revoked = 'false',
  }, expires)
  add_to_family(KEYS[2], KEYS[3], KEYS[5], expires)
end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', '(' .. ms_argument(now))
return { 'ok', token.subject or '', scope, grant.auth_time or '', token.spent_by or '', token.successor or '' }
