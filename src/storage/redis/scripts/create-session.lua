-- Writes a session, which ends when nobody uses it for a while, and at its end in any case.
-- KEYS  1 the session
-- ARGV  1 for how long it lives without being used, in seconds; 2 its end in milliseconds since 1970; then field,
--       value, …
-- Result  'ok'
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('PEXPIREAT', KEYS[1], ms_argument(end_of_use(now_ms(), tonumber(ARGV[2]), ARGV[1])))
return 'ok'
