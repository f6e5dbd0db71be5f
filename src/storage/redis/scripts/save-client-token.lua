-- include: now_ms, iso8601
-- Writes the token of a client that acts for itself, once. It has no family, so no other key is looked at.
-- KEYS  1 the token
-- ARGV  1 time to live in seconds, 2 jti, 3 scope, 4 client_id; then further fields: field, value, …
-- Result  'ok'
if redis.call('HLEN', KEYS[1]) > 0 then
  return 'ok'
end
local expires = now_ms() + tonumber(ARGV[1]) * 1000
redis.call(
  'HSET', KEYS[1],
  'jti', ARGV[2],
  'type', 'access_token',
  'subject', '',
  'scope', ARGV[3],
  'client_id', ARGV[4],
  'expires_at', iso8601(expires),
  'revoked', 'false'
)
if ARGV[5] then
  redis.call('HSET', KEYS[1], unpack(ARGV, 5))
end
redis.call('PEXPIREAT', KEYS[1], expires)
return 'ok'
