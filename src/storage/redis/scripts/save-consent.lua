-- Remembers to what a user agreed, in the place of what was remembered before.
-- KEYS  1 the consent
-- ARGV  1 time to live in seconds, 2 scope
-- Result  'ok'
write_for(KEYS[1], ARGV[1], 'scope', ARGV[2], 'given_at', iso8601(now_ms()))
return 'ok'
