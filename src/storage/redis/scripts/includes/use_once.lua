-- include: now_ms, ms_argument
-- Uses up ids that may be used once, unless another operation used one of them. They are in KEYS from `first` on, and
-- `ttls` has the seconds that each is kept, separated by spaces. Returns the position of the first id that was used,
-- from 0 on; nil if none was.
local function use_once(first, ttls, operation, client_id)
  if ttls == '' then
    return nil
  end
  local position = 0
  for _ in string.gmatch(ttls, '%S+') do
    local used_by = redis.call('HGET', KEYS[first + position], 'used_by')
    if used_by and used_by ~= operation then
      return position
    end
    position = position + 1
  end
  local now, key = now_ms(), first
  for ttl in string.gmatch(ttls, '%S+') do
    redis.call('HSET', KEYS[key], 'used_by', operation, 'client_id', client_id)
    redis.call('PEXPIREAT', KEYS[key], ms_argument(now + tonumber(ttl) * 1000))
    key = key + 1
  end
end
