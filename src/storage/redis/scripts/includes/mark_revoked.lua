-- Marks up to 50 tokens of an ended family as revoked and takes them out of the index, so that redis-cli shows what the
-- status of the family decides. Expired keys are not written again. Returns '1' if more are left, otherwise '0'.
local function mark_revoked(index_key)
  local step = 50
  local token_keys = redis.call('ZRANGE', index_key, 0, step - 1)
  for _, token_key in ipairs(token_keys) do
    if redis.call('TYPE', token_key).ok == 'hash' then
      redis.call('HSET', token_key, 'revoked', 'true')
    end
  end
  if #token_keys > 0 then
    redis.call('ZREM', index_key, unpack(token_keys))
  end
  return #token_keys == step and #redis.call('ZRANGE', index_key, 0, 0) > 0 and '1' or '0'
end
