-- include: assert_writable, judge_token, value_of, token_with, now_ms
-- args: fields[]
-- Reads the live derived tokens of a family (RFC 8693). No token string leaves.
-- KEYS  1 the family, 2 its index, 3 its derived tokens, 4 the key of any token of the family
-- ARGV  the fields to return
-- Result  {{the origins that are derived tokens: positions from 0 on, separated by spaces; field, value, …}, …}, in the
--         order of their ends
assert_writable(KEYS[2])
local family, now, known = redis.call('HGETALL', KEYS[1]), now_ms(), {}
local live, positions, found = {}, {}, {}
for _, secret in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
  local key = token_with(KEYS[4], secret)
  local token = judge_token(key, redis.call('HGETALL', key), family, KEYS[2], now, known)
  if value_of(token, 'revoked') == 'false' then
    live[#live + 1], positions[secret] = token, #live
  end
end
for _, token in ipairs(live) do
  local origins, shown = {}, {}
  for origin in string.gmatch(value_of(token, 'derived_from') or '', '%S+') do
    origins[#origins + 1] = positions[origin]
  end
  shown[1] = table.concat(origins, ' ')
  for i = fields_first, fields_last do
    local value = value_of(token, ARGV[i])
    if value then
      shown[#shown + 1] = ARGV[i]
      shown[#shown + 1] = value
    end
  end
  found[#found + 1] = shown
end
return found
