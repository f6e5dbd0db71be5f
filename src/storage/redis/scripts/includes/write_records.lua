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
    -- HSET comes first: it is what fails if memory is full. Then the fields go that the new record does not have.
    redis.call('HSET', key, unpack(fields))
    if redis.call('HLEN', key) > #fields / 2 then
      local is_new = {}
      for j = 1, #fields, 2 do
        is_new[fields[j]] = true
      end
      for _, field in ipairs(redis.call('HKEYS', key)) do
        if not is_new[field] then
          redis.call('HDEL', key, field)
        end
      end
    end
    if ttl == '' and ends_at == '' then
      redis.call('PERSIST', key)
    else
      local expires = ttl == '' and tonumber(ends_at) or now + tonumber(ttl) * 1000
      if ends_at ~= '' then
        expires = math.min(expires, tonumber(ends_at))
      end
      redis.call('PEXPIREAT', key, ms_argument(expires))
    end
  end
end
