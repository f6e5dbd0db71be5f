-- include: now_ms, ms_argument
-- Extends the lifetime of a key to `expires` (milliseconds since 1970); never shortens it.
local function keep_until(key, expires)
  if redis.call('PTTL', key) < expires - now_ms() then
    redis.call('PEXPIREAT', key, ms_argument(expires))
  end
end
