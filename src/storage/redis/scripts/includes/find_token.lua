-- include: is_ended
-- Reads a token: a list of field, value, …. A token of an ended family reads as revoked, and is marked as such.
local function find_token(token_key, family_key)
  local token = redis.call('HGETALL', token_key)
  if #token > 0 and is_ended(family_key) and redis.call('HGET', token_key, 'revoked') == 'false' then
    redis.call('HSET', token_key, 'revoked', 'true')
    return redis.call('HGETALL', token_key)
  end
  return token
end
