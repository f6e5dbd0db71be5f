-- include: counted_range, in_chunks, now_ms, ms_argument
-- Writes the records KEYS from `first_key` to `last_key`, or to the end, and replaces existing ones. For each, ARGV from
-- `at` on has: its time to live in seconds (or empty: no limit), its absolute expiry in milliseconds since 1970 (or empty),
-- the number of arguments of its fields, then field, value, …
local function write_records(first_key, at, last_key)
  for i = first_key, last_key or #KEYS do
    local key, ttl, ends_at = KEYS[i], ARGV[at], ARGV[at + 1]
    local first, last = counted_range(at + 2)
    local is_permanent = ttl == '' and ends_at == ''
    if is_permanent and redis.call('PTTL', key) >= 0 then
      redis.call('DEL', key)
    end
    -- HSET comes first, because it fails if memory is full. Then the fields are removed that the new record lacks.
    in_chunks('HSET', key, first, last)
    if redis.call('HLEN', key) > (last - first + 1) / 2 then
      local is_new = {}
      for j = first, last, 2 do
        is_new[ARGV[j]] = true
      end
      local found = redis.call('HGETALL', key)
      for j = 1, #found, 2 do
        if not is_new[found[j]] then
          redis.call('HDEL', key, found[j])
        end
      end
    end
    if ends_at ~= '' then
      local expires = tonumber(ends_at)
      if ttl ~= '' then
        expires = math.min(expires, now_ms() + ttl * 1000)
      end
      redis.call('PEXPIREAT', key, ms_argument(expires))
    elseif ttl ~= '' then
      -- Usually it is a whole number, which needs no formatting.
      redis.call('PEXPIRE', key, string.find(ttl, '%D') and ms_argument(ttl * 1000) or ttl .. '000')
    end
    at = last + 1
  end
end
