-- Reads a token and its grant at one moment.
-- KEYS  1 the token, 2 its grant
-- Result  {{field, value, …}, {field, value, …}}, empty where there is no such record
return { redis.call('HGETALL', KEYS[1]), redis.call('HGETALL', KEYS[2]) }
