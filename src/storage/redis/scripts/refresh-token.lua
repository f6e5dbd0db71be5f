-- include: assert_writable, read_hash, now_ms, ms_argument, iso8601, is_live, counted_arguments, end_of_use
-- include: keep_until, revoke_family, write_token, add_to_family
-- Uses a refresh token: replaces it by its successor, or keeps it in use without one; writes the access token. A token
-- that was spent within the retry window gets the same successor again. One that was spent earlier is reused: its
-- family is revoked. All checks come before the first write.
-- KEYS  1 the refresh token, 2 its family, 3 the family's index, 4 the mark of a withdrawn operation, 5 the successor
--       (or the token itself, if it stays in use), 6 the access token (or none)
-- ARGV  1 operation, 2 client_id, 3 requested scope (or empty: all), 4 scope that the client may obtain, 5 retry window
--       in seconds, 6 lifetime of an unused refresh token (or empty) and 7 of the access token in seconds, 8 the sealed
--       successor (or empty: the token stays in use); then two counted lists, each: the number of its arguments, then
--       these: the fields of the successor and those of the access token (field, value, …)
-- Result  {'ok', scope, operation that spent the token, sealed successor, field, value, … of the family}
--         | {'mismatch'} | {'scope'} | {'reused'} | {'missing'} | {'withdrawn'}
local token_key, family_key, index_key, access_key = KEYS[1], KEYS[2], KEYS[3], KEYS[6]
local operation, idle_ttl, sealed_successor = ARGV[1], ARGV[6], ARGV[8]
assert_writable(index_key)
if redis.call('EXISTS', KEYS[4]) == 1 then
  return { 'withdrawn' }
end
local token, family = read_hash(token_key), read_hash(family_key)
local now = now_ms()
local refresh_until, left = tonumber(family.refresh_until), redis.call('PTTL', family_key)
if token.type ~= 'refresh_token' or family.status ~= 'active' or left < 0 then
  return { 'missing' }
end
-- A family without user or auth_time, or with another user than the token, was edited by hand: it is refused.
local auth_time = string.match(family.auth_time or '', '^%d+$')
if not refresh_until or not auth_time or #auth_time > 15 or (family.subject or '') == '' then
  return { 'missing' }
end
if token.subject ~= family.subject then
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
  -- RFC 6749 section 6: the scope must not exceed the one that the user granted.
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
  local result = { 'ok', scope, token.spent_by or '', token.successor or '' }
  for field, value in pairs(family) do
    result[#result + 1] = field
    result[#result + 1] = value
  end
  return result
end

local is_spent = token.spent_at ~= nil
if is_spent then
  local spent_at = tonumber(token.spent_at)
  if not spent_at or (token.spent_by or '') == '' or (token.successor or '') == '' then
    return { 'missing' }
  end
  -- The same operation again gets the same answer.
  if token.spent_by == operation or (access_key and redis.call('EXISTS', access_key) == 1) then
    return answer()
  end
  if now - spent_at >= tonumber(ARGV[5]) * 1000 then
    revoke_family(family_key, index_key)
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

local function issue(key, fields, granted_scope, expires)
  for _, argument in ipairs({ 'subject', token.subject, 'scope', granted_scope, 'client_id', token.client_id }) do
    fields[#fields + 1] = argument
  end
  write_token(key, fields, expires, 'false')
  add_to_family(family_key, index_key, key, expires)
end
local successor_fields, at = counted_arguments(9)
local use_ends = end_of_use(now, refresh_until, idle_ttl)
if sealed_successor ~= '' and not is_spent then
  token.spent_by, token.successor = operation, sealed_successor
  redis.call(
    'HSET', token_key, 'revoked', 'true', 'spent_at', ms_argument(now), 'spent_by', operation,
    'successor', sealed_successor
  )
  -- Kept as long as the family, so that any later reuse is detected.
  redis.call('PEXPIREAT', token_key, ms_argument(now + left))
  issue(KEYS[5], successor_fields, token.scope or '', use_ends)
elseif not is_spent and idle_ttl ~= '' then
  redis.call('HSET', token_key, 'expires_at', iso8601(use_ends))
  redis.call('PEXPIREAT', token_key, ms_argument(use_ends))
  redis.call('ZADD', index_key, ms_argument(use_ends), token_key)
end
local access_expires = now + tonumber(ARGV[7]) * 1000
if access_key then
  local access_fields = counted_arguments(at)
  issue(access_key, access_fields, scope, access_expires)
end
-- The grant record must outlive a JWT, which has no record of its own.
keep_until(family_key, access_expires)
keep_until(index_key, access_expires)
redis.call('ZREMRANGEBYSCORE', index_key, '-inf', '(' .. ms_argument(now))
return answer()
