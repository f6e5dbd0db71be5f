-- include: value_of, has_lost_grant, has_ended_origin
-- Returns a token as it is now: one of an ended family, or that was derived from one that ended, reads as revoked, and is
-- marked as such. `token` and `family` are lists of field, value, …; `now` and `known` as has_ended_origin (or nil).
local function judge_token(token_key, token, family, index_key, now, known)
  local is_ended = #family > 0 and value_of(family, 'status') ~= 'active'
    or has_lost_grant(token, family, index_key)
    or has_ended_origin(token_key, value_of(token, 'derived_from'), now, known)
  if is_ended and value_of(token, 'revoked') == 'false' then
    redis.call('HSET', token_key, 'revoked', 'true')
    return redis.call('HGETALL', token_key)
  end
  return token
end
