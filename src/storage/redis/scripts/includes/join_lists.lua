-- include: now_ms, ms_argument, keep_until
-- Adds records to lists: KEYS from `first_key` on are the lists, and ARGV from `first` to `last` has for each the end of the
-- record in milliseconds since 1970, and its id. Up to 20 entries that are over are dropped. Call it before the records are
-- written: an entry without a record does no harm.
local function join_lists(first_key, first, last)
  if first > last then
    return
  end
  local now = now_ms()
  local over = '(' .. ms_argument(now)
  for i = first, last, 2 do
    local key = KEYS[first_key + (i - first) / 2]
    redis.call('ZADD', key, ARGV[i], ARGV[i + 1])
    local dropped = redis.call('ZRANGEBYSCORE', key, '-inf', over, 'LIMIT', 0, 20)
    if #dropped > 0 then
      redis.call('ZREM', key, unpack(dropped))
    end
    keep_until(key, tonumber(ARGV[i]), now)
  end
end
