-- include: ms_argument
-- Adds live tokens to the index of their family, which has `size` members: `added` is a list of expiry, key, …. Removes
-- expired tokens and `spent` (or false), and keeps at most `limit`: one more ends the access token that expires first.
-- Returns whether there was no index, so that this one has no expiry yet.
local function add_to_index(index_key, size, added, spent, now, limit)
  if size > 1 then
    size = size - redis.call('ZREMRANGEBYSCORE', index_key, '-inf', '(' .. ms_argument(now))
  end
  local is_new = size == 0
  size = size + redis.call('ZADD', index_key, unpack(added))
  -- After the others joined, so that the index does not end with its last member.
  if spent then
    size = size - redis.call('ZREM', index_key, spent)
  end
  if size <= limit then
    return is_new
  end
  -- One of the first two is not the refresh token.
  for _, key in ipairs(redis.call('ZRANGE', index_key, 0, 1)) do
    local type = redis.call('TYPE', key).ok == 'hash' and redis.call('HGET', key, 'type')
    if type ~= 'refresh_token' then
      redis.call('ZREM', index_key, key)
      if type == 'access_token' then
        redis.call('DEL', key)
      end
      break
    end
  end
  return is_new
end
