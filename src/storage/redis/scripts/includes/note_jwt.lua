-- include: now_ms, ms_argument
-- Notes until `ends`, in milliseconds since 1970, a JWT whose status is in a list; `noted` empty: it is in none. Call it
-- before the other writes: a note without a token does no harm. The key lives up to an hour longer than its last note, so
-- that few writes extend it.
local function note_jwt(place, noted, ends)
  if noted == '' then
    return
  end
  redis.call('ZADD', place, ms_argument(ends), noted)
  if redis.call('PTTL', place) < ends - now_ms() then
    redis.call('PEXPIREAT', place, ms_argument(ends + 3600000))
  end
end
