-- include: judge_token
-- Reads a token and its family: two lists of field, value, …, the token as judge_token.
local function find_token(token_key, family_key, index_key)
  local token, family = redis.call('HGETALL', token_key), redis.call('HGETALL', family_key)
  return judge_token(token_key, token, family, index_key), family
end
