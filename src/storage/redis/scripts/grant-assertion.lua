-- include: assert_writable, now_ms, ms_argument, write_token, append
-- Spends the id of an assertion, once, and writes what it is granted: an access token, and the family of a user's.
-- KEYS  1 the assertion, 2 the family, 3 the family's index, 4 the access token (none for a JWT)
-- ARGV  1 the jti of the access token; in seconds: 2 how long the id of the assertion is kept (or empty: it may be used
--       again), 3 the lifetime of access tokens; 4 client_id, 5 scope, 6 subject (or empty: the client acts for itself,
--       and has no family), 7 the audience (or empty); then the further fields of the family: field, value, …
-- Result  'ok' | 'used'
local assertion_key, family_key, index_key, access_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local jti, client_id, scope, subject = ARGV[1], ARGV[4], ARGV[5], ARGV[6]
local is_once = ARGV[2] ~= ''
assert_writable(index_key)
-- Fails before the first write if the key has a wrong type.
redis.call('HLEN', family_key)
if is_once then
  local used_by = redis.call('HGET', assertion_key, 'used_by')
  if used_by then
    return used_by == jti and 'ok' or 'used'
  end
end
local now = now_ms()
local expires = now + tonumber(ARGV[3]) * 1000
local expires_text = ms_argument(expires)
if is_once then
  redis.call('HSET', assertion_key, 'used_by', jti, 'client_id', client_id)
  redis.call('PEXPIREAT', assertion_key, ms_argument(now + tonumber(ARGV[2]) * 1000))
end
if subject ~= '' then
  local grant = { 'client_id', client_id, 'subject', subject, 'scope', scope, 'status', 'active' }
  for i = 8, #ARGV do
    append(grant, { ARGV[i] })
  end
  redis.call('HSET', family_key, unpack(grant))
  redis.call('PEXPIREAT', family_key, expires_text)
end
if access_key then
  local owner = { subject = subject, client_id = client_id }
  write_token(access_key, jti, 'access_token', owner, scope, ARGV[7], expires, expires_text)
  if subject ~= '' then
    redis.call('ZADD', index_key, expires_text, access_key)
    redis.call('PEXPIREAT', index_key, expires_text)
  end
end
return 'ok'
