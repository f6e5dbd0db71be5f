-- include: iso8601
-- Writes a revoked record for a token without a record, such as a JWT.
-- KEYS  1 the token
-- ARGV  1 expiry in milliseconds since 1970; then field, value, …
-- Result  'ok'
redis.call('HSET', KEYS[1], 'expires_at', iso8601(tonumber(ARGV[1])), 'revoked', 'true', unpack(ARGV, 2))
redis.call('PEXPIREAT', KEYS[1], ARGV[1])
return 'ok'
