-- include: now_ms, ms_argument
-- Adds records to lists: KEYS from `first_key` on are the lists, and ARGV from `first` to `last` has for each the end of the
-- record in milliseconds since 1970, how many milliseconds it can live, and its id; all empty: as for the list before. Call
-- it before the records are written: an entry without a record does no harm. A list lives up to an hour longer than its last
-- entry, so that few writes extend it. One write in eight drops up to 100 entries that are over. Returns how many entries
-- are new.
local function join_lists(first_key, first, last)
  local added, ends, lasts, id, drops = 0
  for i = first, last, 3 do
    if ARGV[i] ~= '' then
      ends, lasts, id = ARGV[i], ARGV[i + 1] + 0, ARGV[i + 2]
      drops = ends % 8 == 0
    end
    local key = KEYS[first_key + (i - first) / 3]
    added = added + redis.call('ZADD', key, ends, id)
    if redis.call('PTTL', key) < lasts then
      redis.call('PEXPIREAT', key, ms_argument(ends + 3600000))
    end
    if drops then
      local over = redis.call('ZRANGEBYSCORE', key, '-inf', '(' .. ms_argument(now_ms()), 'LIMIT', 0, 100)
      if #over > 0 then
        redis.call('ZREM', key, unpack(over))
      end
    end
  end
  return added
end
