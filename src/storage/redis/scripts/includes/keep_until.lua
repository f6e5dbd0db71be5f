-- Extends the lifetime of a key to `expires` (milliseconds since 1970); never shortens it.
local function keep_until(key, expires, now)
  if redis.call('PTTL', key) < expires - now then
    redis.call('PEXPIREAT', key, expires)
  end
end
