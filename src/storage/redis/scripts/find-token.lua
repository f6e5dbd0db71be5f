-- Reads a token where this server knows what became of it.
-- KEYS  1 the token, 2 its grant's index
-- Result  field, value, … of the token
assert_writable(KEYS[2])
return redis.call('HGETALL', KEYS[1])
