-- Writes a request that waits for a person, and its time to live.
-- KEYS  1 the pending request
-- ARGV  1 time to live in seconds; then field, value, …
-- Result  'ok'
write_for(KEYS[1], ARGV[1], unpack(ARGV, 2))
return 'ok'
