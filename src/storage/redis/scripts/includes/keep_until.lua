-- include: now_ms, ms_argument
-- Lets a key live until `expires` (milliseconds since 1970), or longer if it already does.
local function keep_until(key, expires)
  if redis.call('PTTL', key) < expires - now_ms() then
    redis.call('PEXPIREAT', key, ms_argument(expires))
  end
end
