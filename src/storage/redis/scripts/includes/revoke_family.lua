-- Revokes a family and all its tokens. Expired keys are not written again.
local function revoke_family(family_key, index_key)
  local function is_hash(key)
    return redis.call('TYPE', key).ok == 'hash'
  end
  local token_keys = redis.call('ZRANGE', index_key, 0, -1)
  if is_hash(family_key) then
    redis.call('HSET', family_key, 'status', 'revoked')
  end
  for _, token_key in ipairs(token_keys) do
    if is_hash(token_key) then
      redis.call('HSET', token_key, 'revoked', 'true')
    end
  end
end
