-- include: keep_until, ms_argument, now_ms, limit_family
-- Adds a live token to the index of its family, and keeps family and index at least as long as the token. Up to 50
-- expired tokens are dropped from the index.
local function add_to_family(family_key, index_key, token_key, expires, limit)
  local expired = redis.call('ZRANGEBYSCORE', index_key, '-inf', '(' .. ms_argument(now_ms()), 'LIMIT', 0, 50)
  if #expired > 0 then
    redis.call('ZREM', index_key, unpack(expired))
  end
  redis.call('ZADD', index_key, ms_argument(expires), token_key)
  keep_until(index_key, expires)
  keep_until(family_key, expires)
  limit_family(index_key, tonumber(limit))
end
