-- Writes an authorization code and its time to live in one step.
-- KEYS  1 the code
-- ARGV  1 time to live in seconds; then field, value, …
-- Result  'ok'
write_for(KEYS[1], ARGV[1], unpack(ARGV, 2))
return 'ok'
