-- include: assert_writable
-- Reads a token. Fails on a server that accepts no writes: it may not know yet that the token was revoked.
-- KEYS  1 the token, 2 the index of its family
-- Result  field, value, … of the token; nothing if it is missing
assert_writable(KEYS[2])
return redis.call('HGETALL', KEYS[1])
