-- include: iso8601
-- args: expires, fields[]
-- Writes a revoked record for a token without a record, such as a JWT.
-- KEYS  1 the token
-- ARGV  expires: in milliseconds since 1970, fields: field, value, …
-- Result  'ok'
redis.call('HSET', KEYS[1], 'expires_at', iso8601(tonumber(expires)), 'revoked', 'true', unpack(ARGV, fields_first))
redis.call('PEXPIREAT', KEYS[1], expires)
return 'ok'
