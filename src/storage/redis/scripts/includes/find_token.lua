-- Reads a token: a list of field, value, …. A token of an ended family (`is_ended`) reads as revoked, and is marked as
-- such.
local function find_token(token_key, is_ended)
  local token = redis.call('HGETALL', token_key)
  if is_ended and #token > 0 and redis.call('HGET', token_key, 'revoked') == 'false' then
    redis.call('HSET', token_key, 'revoked', 'true')
    return redis.call('HGETALL', token_key)
  end
  return token
end
