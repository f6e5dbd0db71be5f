-- Reads a token and its grant at one moment, where this server knows what became of them.
-- KEYS  1 the token, 2 its grant, 3 the grant's index
-- Result  {{field, value, …}, {field, value, …}}, empty where there is no such record
assert_writable(KEYS[3])
return { redis.call('HGETALL', KEYS[1]), redis.call('HGETALL', KEYS[2]) }
