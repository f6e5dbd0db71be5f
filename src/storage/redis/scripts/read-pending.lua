-- Reads a pending request where this server knows what became of it.
-- KEYS  1 the pending request
-- Result  field, value, … of it; nothing where there is none
assert_writable_hash(KEYS[1])
return redis.call('HGETALL', KEYS[1])
