-- args: max
-- include: value_of
-- Reads a family with its live tokens, those that expire first at the top. No token string leaves.
-- KEYS  1 the family, 2 its index
-- ARGV  how many tokens at most
-- Result  {{field, value, …} of the family, {{field, value, …} of each token}}
local tokens = {}
for _, key in ipairs(redis.call('ZRANGE', KEYS[2], 0, max - 1)) do
  local token, shown = redis.call('HGETALL', key), {}
  for _, field in ipairs({ 'type', 'scope', 'audience', 'expires_at', 'revoked' }) do
    local value = value_of(token, field)
    if value then
      shown[#shown + 1] = field
      shown[#shown + 1] = value
    end
  end
  tokens[#tokens + 1] = shown
end
return { redis.call('HGETALL', KEYS[1]), tokens }
