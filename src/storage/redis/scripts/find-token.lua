-- include: assert_writable, find_token
-- Reads a token. Fails on a server that accepts no writes: it may not know yet that the token was revoked.
-- KEYS  1 the token, 2 its family, 3 the family's index
-- Result  field, value, … of the token; nothing if it is missing
assert_writable(KEYS[3])
local is_ended
if redis.call('EXISTS', KEYS[2]) == 1 then
  is_ended = redis.call('HGET', KEYS[2], 'status') ~= 'active'
end
return find_token(KEYS[1], is_ended, KEYS[3])
