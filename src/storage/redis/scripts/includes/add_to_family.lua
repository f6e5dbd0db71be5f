-- include: limit_family
-- Adds live tokens to the index of their family: `members` is a list of expiry, key, …. Up to 50 expired tokens are
-- dropped from the index. The caller keeps family and index at least as long as the tokens. `now_text`: ms_argument.
local function add_to_family(index_key, members, now_text, limit)
  local expired = redis.call('ZRANGEBYSCORE', index_key, '-inf', '(' .. now_text, 'LIMIT', 0, 50)
  if #expired > 0 then
    redis.call('ZREM', index_key, unpack(expired))
  end
  redis.call('ZADD', index_key, unpack(members))
  limit_family(index_key, tonumber(limit))
end
