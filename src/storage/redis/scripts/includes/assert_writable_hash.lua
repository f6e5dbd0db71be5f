-- Writes nothing, and fails where a write to this hash would fail: for a hash that is about to be called missing.
-- Not before that: a script that has begun to write may go on where memory is full, and this would be the first write.
local function assert_writable_hash(key)
  redis.call('HDEL', key, '')
end
