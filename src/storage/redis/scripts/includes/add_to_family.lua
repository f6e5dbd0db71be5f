-- include: keep_until, ms_argument
-- Adds a token to the index of its family, and keeps family and index at least as long as the token.
local function add_to_family(family_key, index_key, token_key, expires)
  redis.call('ZADD', index_key, ms_argument(expires), token_key)
  keep_until(index_key, expires)
  keep_until(family_key, expires)
end
