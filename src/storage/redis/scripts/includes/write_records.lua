-- include: counted_arguments, now_ms, ms_argument
-- Writes records in place of those that are there: KEYS from `first_key` on. For each of them, ARGV from `at` on has:
-- how long it lives in seconds (or empty: for ever), when it ends in any case in milliseconds since 1970 (or empty),
-- how many arguments its fields take, then field, value, …
local function write_records(first_key, at)
  local now = now_ms()
  for i = first_key, #KEYS do
    local key, ttl, ends_at = KEYS[i], ARGV[at], ARGV[at + 1]
    local fields
    fields, at = counted_arguments(at + 2)
    local stays = ttl == '' and ends_at == ''
    if stays and redis.call('PTTL', key) > 0 then
      redis.call('DEL', key)
    end
    -- HSET comes first: it is what fails if memory is full. Then the fields go that the new record does not have.
    redis.call('HSET', key, unpack(fields))
    if redis.call('HLEN', key) > #fields / 2 then
      local is_new = {}
      for j = 1, #fields, 2 do
        is_new[fields[j]] = true
      end
      local found = redis.call('HGETALL', key)
      for j = 1, #found, 2 do
        if not is_new[found[j]] then
          redis.call('HDEL', key, found[j])
        end
      end
    end
    if not stays then
      local expires = ttl == '' and tonumber(ends_at) or now + tonumber(ttl) * 1000
      if ends_at ~= '' then
        expires = math.min(expires, tonumber(ends_at))
      end
      redis.call('PEXPIREAT', key, ms_argument(expires))
    end
  end
end
