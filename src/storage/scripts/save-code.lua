-- Writes an authorization code and its time to live in one step.
-- KEYS  1 the code
-- ARGV  1 time to live in seconds; then field, value, …
-- Result  'ok'
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('PEXPIREAT', KEYS[1], ms_argument(now_ms() + tonumber(ARGV[1]) * 1000))
return 'ok'
