-- Keeps the index of a family at `limit` tokens: one more ends the access token that expires first. Indexes of earlier
-- versions also have spent refresh tokens, which expire last; some of these are dropped instead.
local function limit_family(index_key, limit)
  if #redis.call('ZRANGE', index_key, limit, limit) == 0 then
    return
  end
  local function field(key, name)
    return redis.call('TYPE', key).ok == 'hash' and redis.call('HGET', key, name)
  end
  local dropped = false
  for _, key in ipairs(redis.call('ZRANGE', index_key, -10, -1)) do
    if field(key, 'revoked') ~= 'false' then
      redis.call('ZREM', index_key, key)
      dropped = true
    end
  end
  if dropped then
    return
  end
  -- One of the first two is not the refresh token in use.
  for _, key in ipairs(redis.call('ZRANGE', index_key, 0, 1)) do
    local type, revoked = field(key, 'type'), field(key, 'revoked')
    if type ~= 'refresh_token' or revoked ~= 'false' then
      redis.call('ZREM', index_key, key)
      if type == 'access_token' then
        redis.call('DEL', key)
      end
      return
    end
  end
end
