-- include: iso8601, ms_argument
-- Writes a token record that expires at `expires` (milliseconds since 1970). `fields`: a list of field, value, …
local function write_token(key, fields, expires, revoked)
  for _, argument in ipairs({ 'expires_at', iso8601(expires), 'revoked', revoked }) do
    fields[#fields + 1] = argument
  end
  redis.call('HSET', key, unpack(fields))
  redis.call('PEXPIREAT', key, ms_argument(expires))
end
