-- include: append, iso8601
-- Writes a token record that expires at `expires` (milliseconds since 1970). `fields`: a list of field, value, …
local function write_token(key, fields, expires, revoked)
  append(fields, { 'expires_at', iso8601(expires), 'revoked', revoked })
  redis.call('HSET', key, unpack(fields))
  redis.call('PEXPIREAT', key, expires)
end
