-- include: has_lost_grant
-- Reads a token: a list of field, value, …. A token of an ended family (`is_ended`; nil: it has no grant record) reads as
-- revoked, and is marked as such.
local function find_token(token_key, is_ended, index_key)
  local token = redis.call('HGETALL', token_key)
  if is_ended == nil then
    is_ended = has_lost_grant(token, index_key)
  end
  if is_ended and #token > 0 and redis.call('HGET', token_key, 'revoked') == 'false' then
    redis.call('HSET', token_key, 'revoked', 'true')
    return redis.call('HGETALL', token_key)
  end
  return token
end
