-- include: value_of, has_lost_grant, has_ended_origin
-- Reads a token and its family: two lists of field, value, …. A token of an ended family, or that was derived from one that
-- ended, reads as revoked, and is marked as such.
local function find_token(token_key, family_key, index_key)
  local token, family = redis.call('HGETALL', token_key), redis.call('HGETALL', family_key)
  local is_ended = #family > 0 and value_of(family, 'status') ~= 'active'
    or has_lost_grant(token, family, index_key)
    or has_ended_origin(token_key, value_of(token, 'derived_from'))
  if is_ended and value_of(token, 'revoked') == 'false' then
    redis.call('HSET', token_key, 'revoked', 'true')
    token = redis.call('HGETALL', token_key)
  end
  return token, family
end
