-- include: now_ms, ms_argument
-- Adds records to lists: KEYS from `first_key` on are the lists, and ARGV from `first` to `last` has for each the end of the
-- record in milliseconds since 1970, and its id. Call it before the records are written: an entry without a record does no
-- harm. A list lives up to an hour longer than its last entry, so that few writes extend it. One write in eight drops up to
-- 100 entries that are over.
local function join_lists(first_key, first, last)
  local now = first < last and now_ms()
  for i = first, last, 2 do
    local key, ends = KEYS[first_key + (i - first) / 2], tonumber(ARGV[i])
    redis.call('ZADD', key, ARGV[i], ARGV[i + 1])
    if redis.call('PTTL', key) < ends - now then
      redis.call('PEXPIREAT', key, ms_argument(ends + 3600000))
    end
    if ends % 8 == 0 then
      local over = redis.call('ZRANGEBYSCORE', key, '-inf', '(' .. ms_argument(now), 'LIMIT', 0, 100)
      if #over > 0 then
        redis.call('ZREM', key, unpack(over))
      end
    end
  end
end
