-- Keeps the index of a family at `limit` tokens: one more ends the access token that expires first.
local function limit_family(index_key, limit)
  if #redis.call('ZRANGE', index_key, limit, limit) == 0 then
    return
  end
  -- One of the first two is not the refresh token.
  for _, key in ipairs(redis.call('ZRANGE', index_key, 0, 1)) do
    local type = redis.call('TYPE', key).ok == 'hash' and redis.call('HGET', key, 'type')
    if type ~= 'refresh_token' then
      redis.call('ZREM', index_key, key)
      if type == 'access_token' then
        redis.call('DEL', key)
      end
      return
    end
  end
end
