-- include: assert_writable
-- Reads a token and its family at one moment. Only a server that takes writes answers.
-- KEYS  1 the token, 2 its family, 3 the family's index
-- Result  {{field, value, …}, {field, value, …}}, each empty if there is no such record
assert_writable(KEYS[3])
return { redis.call('HGETALL', KEYS[1]), redis.call('HGETALL', KEYS[2]) }
