-- include: assert_writable, find_token
-- Reads a token and its family in one step. Fails on a server that accepts no writes.
-- KEYS  1 the token, 2 its family, 3 the family's index
-- Result  {{field, value, …}, {field, value, …}}, each empty if the record is missing
assert_writable(KEYS[3])
local family = redis.call('HGETALL', KEYS[2])
local is_ended
if #family > 0 then
  is_ended = redis.call('HGET', KEYS[2], 'status') ~= 'active'
end
return { find_token(KEYS[1], is_ended, KEYS[3]), family }
