-- include: assert_writable
-- Reads a token and its family in one step. Fails on a server that accepts no writes.
-- KEYS  1 the token, 2 its family, 3 the family's index
-- Result  {{field, value, …}, {field, value, …}}, each empty if the record is missing
assert_writable(KEYS[3])
return { redis.call('HGETALL', KEYS[1]), redis.call('HGETALL', KEYS[2]) }
